package io.leasehold.idempotency;

/** What becomes of a key when its work throws an exception. */
public enum AfterException {
  /** The claim is given back: the next call does the work. Right if the work had no effect. */
  RELEASE,
  /** The exception is stored: later calls throw {@link ReplayedException}. */
  REPLAY,
  /**
   * As {@link #REPLAY}, for work that was given up for good: {@link ReplayedException#isPoisoned}.
   */
  POISON,
  /** The claim lapses at once: the next call finds an unknown outcome. */
  UNKNOWN
}
