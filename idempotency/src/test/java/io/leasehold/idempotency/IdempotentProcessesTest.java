package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Several processes, on each kind of store: they race, are killed, and are paused. */
class IdempotentProcessesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path dir;

  enum Where {
    SQLITE,
    POSTGRESQL,
    MYSQL,
    REDIS
  }

  private String url(Where where) {
    return where == Where.REDIS
        ? RedisServers.url(Kind.REDIS_7_0)
        : Databases.valueOf(where.name()).storeUrl(dir, Databases.newTables());
  }

  private Path effects() {
    return dir.resolve("effects");
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = Mode.EXCLUDE)
  void sixtyFourThreadsOfFourProcessesDoItOnce(Where where) throws Exception {
    String url = url(where);
    IdempotencyStores.open(url).close();
    List<OnceProcess> processes = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        processes.add(OnceProcess.start(url, effects(), 16, -1, 30_000));
      }
      for (OnceProcess process : processes) {
        assertThat(process.line()).isEqualTo("ready");
      }
      for (OnceProcess process : processes) {
        process.go();
      }
      Set<String> results = new HashSet<>();
      for (OnceProcess process : processes) {
        for (int i = 0; i < 16; i++) {
          results.add(process.line());
        }
      }
      assertThat(OnceProcess.effects(effects())).hasSize(1);
      assertThat(results).containsExactlyElementsOf(OnceProcess.effects(effects()));
    } finally {
      processes.forEach(OnceProcess::close);
    }
  }

  /** Killed before the claim, after it, after the work, after the completion. */
  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = Mode.EXCLUDE)
  void aKilledProcessLeavesWhatItsPolicySays(Where where) throws Exception {
    for (int step = 0; step < OnceProcess.STEPS; step++) {
      String url = url(where);
      Path effects = dir.resolve("effects-" + step);
      if (where == Where.SQLITE) {
        url = "file:" + dir.resolve("once-" + step + ".db");
      }
      killAt(step, url, effects);
      try (Idempotency idempotency = Idempotency.connect(url)) {
        IdempotentOperation<String> operation = OnceProcess.operation(idempotency);
        IdempotentOperation<String> retries = operation.onUnknown(OnUnknown.RETRY);
        int before = OnceProcess.effects(effects).size();
        assertThat(before).as("step %s", step).isEqualTo(step < 2 ? 0 : 1);
        if (step == 1 || step == 2) {
          assertThatThrownBy(() -> once(operation, effects))
              .as("step %s", step)
              .isInstanceOf(UnknownOutcomeException.class);
          once(retries, effects);
        } else {
          once(operation, effects);
        }
        int expected = step == 3 ? before : before + 1;
        assertThat(OnceProcess.effects(effects)).as("step %s", step).hasSize(expected);
        assertThat(once(operation, effects))
            .isEqualTo(OnceProcess.effects(effects).get(expected - 1));
      }
    }
  }

  private static void killAt(int step, String url, Path effects) throws IOException {
    try (OnceProcess process = OnceProcess.start(url, effects, 1, step, 300)) {
      assertThat(process.line()).isEqualTo("ready");
      process.go();
      assertThat(process.line()).isEqualTo("stopped");
    }
  }

  private static String once(IdempotentOperation<String> operation, Path effects) {
    return operation.execute(
        Key.of("key"), Fingerprint.none(), claim -> OnceProcess.work(effects, false));
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = Mode.EXCLUDE)
  void aPausedProcessOverwritesNothing(Where where) throws Exception {
    String url = url(where);
    try (OnceProcess process = OnceProcess.start(url, effects(), 1, 2, 300)) {
      assertThat(process.line()).isEqualTo("ready");
      process.go();
      assertThat(process.line()).isEqualTo("stopped");
      process.signal("STOP");
      try (Idempotency idempotency = Idempotency.connect(url)) {
        IdempotentOperation<String> operation = OnceProcess.operation(idempotency);
        String line = once(operation.onUnknown(OnUnknown.RETRY), effects());
        process.go();
        process.signal("CONT");
        assertThat(process.line()).isEqualTo("StaleClaimException");
        assertThat(once(operation, effects())).isEqualTo(line);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = "SQLITE", mode = Mode.EXCLUDE)
  void aLostReplyToTheClaimChangesNothing(Where where) throws Exception {
    loseReply(where, ClaimAnswer.Running.class);
  }

  @ParameterizedTest
  @EnumSource(names = "SQLITE", mode = Mode.EXCLUDE)
  void aLostReplyToTheCompletionChangesNothing(Where where) throws Exception {
    loseReply(where, ClaimAnswer.Finished.class);
  }

  /** The request takes effect, and its reply is lost on the way. */
  private void loseReply(Where where, Class<? extends ClaimAnswer> effect) throws Exception {
    String direct = url(where);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (FaultProxy proxy = proxy(where);
        IdempotencyStore observer = IdempotencyStores.open(direct);
        Idempotency idempotency = Idempotency.connect(by(where, direct, proxy))) {
      IdempotentOperation<String> operation = OnceProcess.operation(idempotency);
      // So that nothing has to be prepared, or taught to the server, when replies no longer come
      once(idempotency.operation("warm", Codec.TEXT), dir.resolve("warm"));
      List<Future<?>> losses = new ArrayList<>();
      if (effect == ClaimAnswer.Running.class) {
        losses.add(loseReply(thread, proxy, observer, effect));
      }
      String line =
          operation.execute(
              Key.of("key"),
              Fingerprint.none(),
              running -> {
                if (losses.isEmpty()) {
                  losses.add(loseReply(thread, proxy, observer, effect));
                }
                return OnceProcess.work(effects(), false);
              });
      assertThat(losses.get(0).get(60, TimeUnit.SECONDS)).isNull();
      assertThat(once(operation, effects())).isEqualTo(line);
      assertThat(OnceProcess.effects(effects())).containsExactly(line);
    } finally {
      thread.shutdown();
    }
  }

  private static Future<?> loseReply(
      ExecutorService thread,
      FaultProxy proxy,
      IdempotencyStore observer,
      Class<? extends ClaimAnswer> effect) {
    // Held, not dropped: who connects before it is healed is answered then
    proxy.stall(Direction.TO_CLIENT);
    return thread.submit(
        () -> {
          await()
              .pollInterval(Duration.ofMillis(5))
              .atMost(PATIENCE)
              .until(() -> effect.isInstance(OnceProcess.look(observer)));
          proxy.cutAll();
          proxy.heal();
        });
  }

  private static FaultProxy proxy(Where where) {
    if (where == Where.REDIS) {
      var server = RedisServers.of(Kind.REDIS_7_0);
      return FaultProxy.to(server.host(), server.port(), Framing.NONE);
    }
    var server = Databases.server(Objects.requireNonNull(Databases.valueOf(where.name()).kind()));
    return FaultProxy.to(server.host(), server.port(), Framing.NONE);
  }

  private static String by(Where where, String direct, FaultProxy proxy) {
    int port =
        where == Where.REDIS
            ? RedisServers.of(Kind.REDIS_7_0).port()
            : Databases.server(Objects.requireNonNull(Databases.valueOf(where.name()).kind()))
                .port();
    return direct.replace(":" + port, ":" + proxy.port());
  }
}
