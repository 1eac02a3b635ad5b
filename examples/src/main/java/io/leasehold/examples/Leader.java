package io.leasehold.examples;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** One process of many leads; when it dies, hangs or is cut off, another takes over. */
final class Leader {
  private static final System.Logger LOG = System.getLogger(Leader.class.getName());

  private final DistributedLock lock;
  private final LongConsumer step;
  private final Runnable standDown;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * A candidate.
   *
   * @param step one short step of the leader's work, under this fencing token
   * @param standDown ends a step that is under way
   */
  Leader(DistributedLock lock, LongConsumer step, Runnable standDown) {
    this.lock = lock;
    this.step = step;
    this.standDown = standDown;
  }

  /** Leads whenever it can, until it is stopped or its thread is interrupted. */
  void run() throws InterruptedException {
    do {
      try (Lease term = lock.acquire()) { // waits until this process is elected
        term.onLost(standDown);
        while (term.isHeld() && stopped.getCount() > 0) {
          step.accept(term.fencingToken()); // the data refuses the token of an earlier leader
        }
      } catch (LockException
          | LeaseLostException e) { // the term was lost, or the store cannot be reached
        LOG.log(System.Logger.Level.INFO, "does not lead", e);
      }
    } while (!stopped.await(1, TimeUnit.SECONDS));
  }

  /** After the present step another process leads. */
  void stop() {
    stopped.countDown();
  }
}
