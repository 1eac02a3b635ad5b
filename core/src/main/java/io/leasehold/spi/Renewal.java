package io.leasehold.spi;

import java.time.Duration;

/** The answer to {@link LockStore#renew} for one ticket. */
public sealed interface Renewal {
  /**
   * The lease is this ticket's, and lives for {@code remaining} from the moment the store answered.
   *
   * @param wanted whether another ticket waits for the name
   */
  record Renewed(Duration remaining, boolean wanted) implements Renewal {}

  /** The ticket still waits; its place, where there is one, was kept alive. */
  record Waiting() implements Renewal {}

  /** The ticket waits, and an attempt may now succeed, or already did. */
  record AttemptNow() implements Renewal {}

  /**
   * Neither held nor waiting under this id: it expired, was broken, or never was. Nothing was
   * changed.
   */
  record Gone() implements Renewal {}

  /**
   * No answer for this ticket; it may or may not have been renewed.
   *
   * @param cause why
   */
  record Unknown(Throwable cause) implements Renewal {}
}
