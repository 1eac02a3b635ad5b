package io.leasehold.spi;

import java.time.Duration;

/** The answer to {@link LockStore#renew} for one ticket. */
public sealed interface Renewal {
  /**
   * The ticket holds the lease, which lives for {@code remaining} from the moment the store
   * answered.
   *
   * @param wanted whether another ticket waits for the name
   */
  record Renewed(Duration remaining, boolean wanted) implements Renewal {}

  /** The ticket still waits; its place, if it has one, stays alive. */
  record Waiting() implements Renewal {}

  /** The ticket waits, and an attempt may succeed now, or has succeeded. */
  record AttemptNow() implements Renewal {}

  /**
   * The id neither holds nor waits: its lease expired, was broken, or never existed. Nothing
   * changed.
   */
  record Gone() implements Renewal {}

  /**
   * No answer for this ticket; the store may have renewed it or not.
   *
   * @param cause the failure of the request
   */
  record Unknown(Throwable cause) implements Renewal {}
}
