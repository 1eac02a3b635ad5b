package io.leasehold.testkit.simulation;

import io.leasehold.MultiLease;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One call for several locks, as the judge sees it. */
final class MultiCall {
  final int number;
  final SimulatedProcess process;
  final Wish wish;
  final List<Call> parts;
  final long invokedAt;
  final long invokedOwn;
  CompletableFuture<MultiLease> future;
  Call.End end = Call.End.PENDING;
  long endedAt;

  /** How often one that it had was lost before it had all. */
  int losses;

  MultiCall(int number, SimulatedProcess process, Wish wish, List<Call> parts, long now) {
    this.number = number;
    this.process = process;
    this.wish = wish;
    this.parts = parts;
    this.invokedAt = now;
    this.invokedOwn = process.nanos();
  }

  boolean isPending() {
    return end == Call.End.PENDING;
  }

  boolean takes(String name) {
    return parts.stream().anyMatch(part -> part.name.equals(name));
  }

  @Override
  public String toString() {
    return "c" + number;
  }
}
