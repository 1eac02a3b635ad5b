package io.leasehold.jdbc;

/**
 * How long a request pauses between two looks whether the file is free. SQLite has no queue: where
 * hundreds of processes look every 10 ms, the one that may write gets no processor. So the pauses
 * grow with the time that the request has waited. After each long pause it looks a few times in
 * short order, which costs a process that is awake little, and finds the gaps that a few busy
 * processes leave. Used by one thread.
 */
final class Patience {
  private static final long FIRST_NANOS = 20_000;
  private static final long SHORTEST_NANOS = 10_000_000;
  private static final long LONGEST_NANOS = 250_000_000;
  private static final int PART_OF_WAITED = 16;
  private static final long BETWEEN_LOOKS_NANOS = 1_000_000;
  private static final int LOOKS = 4;

  private final Limit limit;
  private final long leftAtFirst;
  private long pause = FIRST_NANOS;
  private int looks;

  /** For a request that begins to wait. */
  Patience(Limit limit) {
    this.limit = limit;
    this.leftAtFirst = limit.left();
  }

  /** Pauses once. */
  void pause() {
    limit.sleep(nanos());
  }

  /** How long the next pause is, at most. */
  long nanos() {
    long longest = Math.min(LONGEST_NANOS, (leftAtFirst - limit.left()) / PART_OF_WAITED);
    if (longest > SHORTEST_NANOS) {
      looks++;
      return looks % LOOKS == 0 ? longest : BETWEEN_LOOKS_NANOS;
    }
    pause = Math.min(SHORTEST_NANOS, pause * 2);
    return pause;
  }
}
