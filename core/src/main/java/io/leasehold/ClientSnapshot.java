package io.leasehold;

/**
 * What one client has in memory at a moment; from {@link LockClient#snapshot()}.
 *
 * @param store the kind of store, as {@code Redis}
 * @param held the leases that this client holds; readers that share one count once
 * @param waiting the callers that wait, candidates of a {@link Leadership} among them
 */
public record ClientSnapshot(String store, int held, int waiting) {}
