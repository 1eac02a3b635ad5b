package io.leasehold.benchmarks.failover;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** A client of a library, connected to the address of the primary. */
interface Party extends AutoCloseable {
  /**
   * Tries once.
   *
   * @return what it was granted; empty if the lock is busy, or the call failed
   */
  Optional<Grant> tryAcquire(String name);

  @Override
  void close();

  /**
   * What a caller has who was granted a lock.
   *
   * @param isBelieved whether the library lets it believe that it holds the lock, without asking
   *     the server
   * @param token for the data, if the library has one
   * @param told completed when the library tells that the lock is lost, if it ever does
   */
  record Grant(
      BooleanSupplier isBelieved,
      OptionalLong token,
      Optional<CompletableFuture<Void>> told,
      Runnable release) {}
}
