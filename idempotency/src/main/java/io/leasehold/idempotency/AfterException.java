package io.leasehold.idempotency;

/** What happens to a key when its work throws an exception. */
public enum AfterException {
  /** The claim is released, and the next call runs the work. Use it if the work had no effect. */
  RELEASE,
  /** The exception is stored: later calls throw {@link ReplayedException}. */
  REPLAY,
  /**
   * As {@link #REPLAY}, for work that must never run again: {@link ReplayedException#isPoisoned}.
   */
  POISON,
  /** The claim lapses at once, and the next call finds an unknown outcome. */
  UNKNOWN
}
