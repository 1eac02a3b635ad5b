package io.leasehold.internal;

import io.leasehold.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A lease that is waited for without a thread; completed where the caller wants it. */
final class PendingLease extends CompletableFuture<Lease> {
  final Executor completer;

  PendingLease(Executor completer) {
    this.completer = completer;
  }
}
