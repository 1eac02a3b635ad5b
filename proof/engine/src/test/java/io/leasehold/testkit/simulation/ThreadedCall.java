package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.spi.LeaseId;
import java.util.List;

/** One call of a caller with a thread, as the judge sees it. */
final class ThreadedCall {
  /** A lease in the hands of a caller. */
  static final class Holding {
    final ThreadedCall call;
    final String name;
    final Lease lease;
    final LeaseId id;
    final long token;
    final long grantedAt;
    boolean releaseAsked;
    boolean released;
    boolean lostTold;
    long overSince;

    Holding(ThreadedCall call, Lease lease, long now) {
      this.call = call;
      this.name = lease.name();
      this.lease = lease;
      this.id = LeaseId.parse(lease.leaseId());
      this.token = lease.fencingToken();
      this.grantedAt = now;
    }

    boolean isOpen() {
      return !releaseAsked && !lostTold;
    }

    @Override
    public String toString() {
      return call + " (" + name + ")";
    }
  }

  final int number;
  final ThreadedProcess process;
  final List<String> names;
  final Wish wish;
  final boolean async;
  final long invokedAt;

  /** The highest token that had been granted before to those who cannot hold beside it. */
  final List<Long> floors;

  /** When the first of the calls began that its process was making then for its name. */
  final long firstBegan;

  /** The strand that waits for it, and how long that had been kept before; null: a future. */
  final Strand strand;

  final long keptBefore;
  boolean ended;
  long endedAt;
  long interruptedAt;

  ThreadedCall(
      int number,
      ThreadedProcess process,
      List<String> names,
      Wish wish,
      Strand strand,
      long now,
      long firstBegan,
      List<Long> floors) {
    this.number = number;
    this.process = process;
    this.names = names;
    this.wish = wish;
    this.async = strand == null;
    this.strand = strand;
    this.keptBefore = strand == null ? 0 : strand.keptFor();
    this.invokedAt = now;
    this.firstBegan = firstBegan;
    this.floors = floors;
  }

  boolean isForSeveral() {
    return names.size() > 1;
  }

  long kept() {
    return strand == null ? 0 : strand.keptFor() - keptBefore;
  }

  @Override
  public String toString() {
    return "c" + number + "@" + process.name;
  }
}
