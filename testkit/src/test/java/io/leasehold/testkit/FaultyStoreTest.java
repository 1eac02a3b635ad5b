package io.leasehold.testkit;

import static io.leasehold.testkit.InMemorySettings.Feature.DIRECT_GRANT;
import static io.leasehold.testkit.InMemorySettings.Feature.FENCING;
import static io.leasehold.testkit.InMemorySettings.Feature.GRANT_MESSAGES;
import static io.leasehold.testkit.InMemorySettings.Feature.QUEUE;
import static io.leasehold.testkit.InMemorySettings.Feature.TOMBSTONES;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.testkit.contract.Faults;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What goes wrong on the way to a store goes wrong as it says, and nothing else does. */
class FaultyStoreTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  /** A report of a grant is as good as an answer: it was once taken for a poll, and lost. */
  @Test
  void aLeaseToldOfByAReportIsRenewedAlthoughPollsAreStopped() throws Exception {
    InMemoryServer server =
        new InMemoryServer(
            InMemorySettings.defaults()
                .withFeatures(FENCING, QUEUE, DIRECT_GRANT, GRANT_MESSAGES, TOMBSTONES));
    FaultyStore faulty = new FaultyStore(server);
    faulty.stopPolls();
    try (LockClient one = Leasehold.builder(server).build();
        LockClient two = Leasehold.builder(faulty).build()) {
      Lease held = one.lock("a").tryAcquire(SOON).orElseThrow();
      CompletionStage<Lease> next =
          two.lock("a").with(LockOptions.defaults().fair()).acquireAsync(SOON);
      Awaitility.await().until(() -> server.list().get(0).waiters().size() == 1);
      held.release();
      Lease told = next.toCompletableFuture().get();
      assertThatCode(() -> told.ensureHeld(Duration.ofSeconds(10))).doesNotThrowAnyException();
      told.release();
    }
  }

  /** It was once heard, and a waiter that should have been cut off got the lock. */
  @Test
  void anAnswerThatIsOnItsWayWhenTheConnectionIsCutDoesNotCome() throws Exception {
    FaultyStore slow = new FaultyStore(new InMemoryServer());
    Faults.Delayed request = slow.delay(0);
    FaultyStore faulty = new FaultyStore(slow);
    try (LockClient client = Leasehold.builder(faulty).build()) {
      CompletionStage<Lease> lease = client.lock("a").acquireAsync(SOON);
      Awaitility.await().until(request::isSent);
      faulty.cut();
      request.land();
      assertThatThrownBy(() -> lease.toCompletableFuture().get())
          .cause()
          .isInstanceOf(StoreException.class);
      faulty.heal();
    }
  }
}
