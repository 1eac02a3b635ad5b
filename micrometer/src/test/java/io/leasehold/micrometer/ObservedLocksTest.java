package io.leasehold.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockTimeoutException;
import io.leasehold.testkit.InMemoryServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The wait and the work of guarded code, apart. */
class ObservedLocksTest {
  private final LockClient client = Leasehold.builder(new InMemoryServer()).build();
  private final DistributedLock lock = client.lock("order-1");
  private final ObservationRegistry registry = ObservationRegistry.create();
  private final ObservedLocks observed = new ObservedLocks(registry);
  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void listen() {
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public void onStart(Observation.Context context) {
                String parent =
                    context.getParentObservation() == null
                        ? ""
                        : " in " + context.getParentObservation().getContextView().getName();
                seen.add("start " + context.getName() + parent);
              }

              @Override
              public void onStop(Observation.Context context) {
                Throwable error = context.getError();
                seen.add(
                    "stop "
                        + context.getName()
                        + (error == null ? "" : " " + error.getClass().getSimpleName()));
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void theWaitAndTheWorkAreSiblingsUnderTheCaller() throws Exception {
    Observation caller = Observation.start("caller", registry);
    try (Observation.Scope scope = caller.openScope()) {
      assertThat(scope).isNotNull();
      String result =
          observed.<String, RuntimeException>callWithLock(
              lock,
              Duration.ofSeconds(5),
              lease -> {
                Observation.start("inner", registry).stop();
                return "held " + lease.isHeld();
              });
      assertThat(result).isEqualTo("held true");
    }
    caller.stop();
    assertThat(seen)
        .containsExactly(
            "start caller",
            "start leasehold.wait in caller",
            "stop leasehold.wait",
            "start leasehold.guarded in caller",
            "start inner in leasehold.guarded",
            "stop inner",
            "stop leasehold.guarded",
            "stop caller");
  }

  @Test
  void aWaitWithoutSuccessIsAnErrorOfTheWait() throws Exception {
    try (Lease held = lock.acquire()) {
      assertThatThrownBy(
              () -> observed.withLock(lock, Duration.ofMillis(20), lease -> held.release()))
          .isInstanceOf(LockTimeoutException.class);
    }
    assertThat(seen)
        .containsExactly("start leasehold.wait", "stop leasehold.wait LockTimeoutException");
  }

  @Test
  void anExceptionOfTheWorkIsAnErrorOfTheWorkAndFreesTheLock() {
    assertThatThrownBy(
            () ->
                observed.withLock(
                    lock,
                    Duration.ofSeconds(5),
                    lease -> {
                      throw new IOException("no");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(seen)
        .containsExactly(
            "start leasehold.wait",
            "stop leasehold.wait",
            "start leasehold.guarded",
            "stop leasehold.guarded IOException");
    assertThat(lock.tryAcquire()).isPresent();
  }
}
