package io.leasehold.examples;

import io.leasehold.Leadership;
import io.leasehold.LockClient;
import java.util.function.LongConsumer;

/** One process of many leads; when it dies, hangs or is cut off, another takes over. */
final class Leader implements AutoCloseable {
  private final Leadership leadership;

  /**
   * Takes part in the election.
   *
   * @param step one short step of the leader's work, under this fencing token
   */
  Leader(LockClient locks, LongConsumer step) {
    leadership =
        locks.leadership(
            "scheduler",
            term -> { // this process is elected; interrupted when the term ends
              while (term.isHeld() && !Thread.interrupted()) {
                step.accept(term.fencingToken()); // the data refuses the token of an earlier leader
              }
            });
  }

  /** After the present step another process leads. */
  @Override
  public void close() {
    leadership.resign();
  }
}
