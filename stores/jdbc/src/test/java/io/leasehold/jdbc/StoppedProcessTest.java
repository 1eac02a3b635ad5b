package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process stands still: a holder, one within a transaction, the server. */
class StoppedProcessTest extends ServerTest {
  private static final Duration SHORT = Duration.ofSeconds(1);

  /** How long a server waits for a client in a transaction, and a little. */
  private static final Duration TRANSACTION = Duration.ofSeconds(8);

  @TempDir Path dir;

  private Runnable goOn = () -> {};

  @AfterEach
  void goOn() {
    goOn.run();
  }

  private void pause(SqlServer server) {
    server.pause();
    goOn = server::resume;
  }

  private Child puppet(SqlServer server, Duration ttl) {
    client(server);
    String url = own(server.jdbcUrl());
    Child puppet = closed(Child.start(dir, ServerPuppet.class, url, ttl.toString()));
    heard(puppet, "ready");
    return puppet;
  }

  private static long acquired(Child puppet) {
    puppet.say("acquire");
    return Long.parseLong(heard(puppet, "acquired "));
  }

  /** Drivers too say things at their start. */
  private static String heard(Child puppet, String beginning) {
    String line = puppet.line();
    while (!line.startsWith(beginning)) {
      line = puppet.line();
    }
    return line.substring(beginning.length());
  }

  @ParameterizedTest
  @EnumSource
  void r17AStoppedHolderKnowsBeforeItHasAskedAnybody(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Child puppet = puppet(server, SHORT);
    long token = acquired(puppet);
    puppet.signal("STOP");
    Lease next = client(server).lock("a").acquire(PATIENCE);
    assertThat(next.fencingToken()).isGreaterThan(token);
    // It cannot ask the server.
    pause(server);
    puppet.say("held");
    puppet.signal("CONT");
    assertThat(heard(puppet, "held ")).isEqualTo("false");
    server.resume();
    next.release();
    assertThat(acquired(puppet)).isGreaterThan(next.fencingToken());
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL_9", mode = EnumSource.Mode.EXCLUDE)
  void whoStopsWithinATransactionIsThrownOut(Kind kind) throws Exception {
    stopWithin(kind, TRANSACTION);
  }

  /** MySQL has no limit for transactions alone. */
  @Test
  @Tag("slow")
  void whoStopsWithinATransactionIsThrownOutLaterByMysql() throws Exception {
    stopWithin(Kind.MYSQL_9, Duration.ofSeconds(35));
  }

  private void stopWithin(Kind kind, Duration limit) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server);
    client.lock("a").acquire().release();
    Child puppet = puppet(server, TTL);
    puppet.say("stand");
    heard(puppet, "inside");
    puppet.signal("STOP");
    long begin = System.nanoTime();
    requireSoon(client.lock("other"));
    Lease next =
        await()
            .atMost(PATIENCE.multipliedBy(2))
            .ignoreException(StoreException.class)
            .until(() -> client.lock("a").acquire(PATIENCE), lease -> true);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(limit);
    assertThat(client.list()).hasSize(1);
    next.release();
    requireNothingLeft(client);
  }

  @ParameterizedTest
  @EnumSource
  void r16WhileTheServerIsStoppedATryEndsInTime(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server);
    Engine idle = client(server);
    client.lock("a").acquire().release();
    idle.lock("b").acquire().release();
    // From then on a connection is asked whether it is still there.
    pass(Duration.ofMillis(5200));
    client.lock("a").acquire().release();
    pause(server);
    for (Engine each : new Engine[] {client, idle, client, idle}) {
      long begin = System.nanoTime();
      assertThatThrownBy(() -> each.lock("a").tryAcquire(Duration.ofMillis(300)))
          .isInstanceOf(StoreException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isBetween(Duration.ofMillis(250), Duration.ofSeconds(4));
    }
    server.resume();
    client.lock("a").acquire(PATIENCE).release();
    idle.lock("a").acquire(PATIENCE).release();
    requireNothingLeft(client);
    requireNothingLeft(idle);
    assertThat(client.list()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void r17WhileTheServerIsStoppedLeasesEndByTheClockOfTheHolder(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server, how -> how.ttl(SHORT.multipliedBy(2)));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client(server), "a", client);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    pause(server);
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(held.isHeld()).isFalse();
    assertThat(waiter).isNotDone();
    server.resume();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }
}
