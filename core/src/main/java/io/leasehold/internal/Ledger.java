package io.leasehold.internal;

/**
 * What one engine holds in memory at a moment: all zero when nothing is held, waited for or in
 * doubt. Every test requires that at its end.
 *
 * @param names lock names with any state
 * @param waiters callers that wait
 * @param tickets tickets that contend at the store
 * @param leases leases that are renewed or watched for loss
 * @param limbo lease ids whose fate is not known
 * @param holds thread-bound holds of {@code withLock} and {@code asLock}
 */
public record Ledger(int names, int waiters, int tickets, int leases, int limbo, int holds) {
  /** Whether nothing is left. */
  public boolean isZero() {
    return equals(new Ledger(0, 0, 0, 0, 0, 0));
  }
}
