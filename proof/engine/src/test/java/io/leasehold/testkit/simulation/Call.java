package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.spi.LeaseId;
import java.util.concurrent.CompletableFuture;

/** One call of a caller, as the judge sees it. */
final class Call {
  /** How it ended. */
  enum End {
    PENDING,
    GRANTED,
    FAILED,
    CANCELLED,
    CRASHED
  }

  final int number;
  final SimulatedProcess process;
  final String name;
  final Wish wish;
  final long invokedAt;
  final long invokedOwn;

  /** The token that had been granted when it was made: its own must be higher. */
  final long floor;

  /** Whether it is one of several locks that are taken as one. */
  final boolean isPart;

  CompletableFuture<Lease> future;
  End end = End.PENDING;
  boolean waited;

  /** The ticket of a fair caller: the last one sent for it. */
  LeaseId ticket;

  /** Whether the name was certainly held as another kind in its own process when it was made. */
  boolean mustBeRefused;

  /** Whether the name was wanted or held as another kind in its own process when it was made. */
  boolean mayBeRefused;

  /** Whether a caller in its own process had been told to wait before: a try gets nothing then. */
  boolean mustFindBusy;

  /** A shared lease of its process that was wanted by others when the call was made. */
  LeaseId wantedShare;

  /** How many others read when it was made. */
  int readers;

  /**
   * The token of a later call that was granted while this one waited, and when; 0 if there is none.
   */
  long overtakenBy;

  long overtakenAt;

  Call(int number, SimulatedProcess process, String name, Wish wish, long now, long floor) {
    this(number, process, name, wish, now, floor, false);
  }

  private Call(
      int number,
      SimulatedProcess process,
      String name,
      Wish wish,
      long now,
      long floor,
      boolean isPart) {
    this.number = number;
    this.process = process;
    this.name = name;
    this.wish = wish;
    this.invokedAt = now;
    this.invokedOwn = process.nanos();
    this.floor = floor;
    this.isPart = isPart;
  }

  /** One of several locks that are taken as one. */
  static Call part(
      int number, SimulatedProcess process, String name, Wish wish, long now, long floor) {
    return new Call(number, process, name, wish, now, floor, true);
  }

  boolean isTry() {
    return wish.isTry();
  }

  boolean isPending() {
    return end == End.PENDING;
  }

  @Override
  public String toString() {
    return "c" + number + (isPart ? "/" + name : "");
  }
}
