package io.leasehold.testkit.contract;

import io.leasehold.LockClient;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.Optional;

/**
 * How the contract reaches what it tests: one for each test, closed at its end. For a store use
 * {@link StoreFixture}. An adapter for another lock library implements this, and {@link LockClient}
 * as far as that library goes: what it throws {@link UnsupportedOperationException} for counts as
 * not claimed.
 */
public interface ContractFixture extends AutoCloseable {
  /** Opens a client with a connection of its own to the store that all clients share. */
  LockClient open(ClientSettings settings);

  /** Why this cannot be done; empty if it can. */
  default Optional<String> lacks(Ability ability) {
    return Optional.empty();
  }

  /**
   * Why the test with this method name asks for what the library's documentation excludes, so that
   * it is not claimed; empty if it does not. For adapters of other libraries: a store of ours has
   * no excuse.
   */
  default Optional<String> disclaims(String test) {
    return Optional.empty();
  }

  /** What the store declares of itself; empty if that is not known. */
  default Optional<Traits> traits() {
    return Optional.empty();
  }

  /** A ttl for tests that wait for expiry: short, but so that a loaded machine can renew it. */
  default Duration shortTtl() {
    return Duration.ofSeconds(1);
  }

  /** The faults of a client that {@link #open} gave. */
  default Faults faults(LockClient client) {
    return new Faults() {};
  }

  /**
   * What a client still has in memory: leases, waiters, requests in doubt. Empty if nothing, or if
   * that cannot be told.
   */
  default Optional<String> leftovers(LockClient client) {
    return Optional.empty();
  }

  /** Whether everything is claimed that is not {@linkplain #lacks lacked}. */
  default Claim claim() {
    return Claim.PART;
  }

  /** How much of the API is there. */
  enum Claim {
    /** All: an {@link UnsupportedOperationException} is a failure. */
    ALL,
    /** Some: an {@link UnsupportedOperationException} says that this is not claimed. */
    PART
  }

  /** Restarts the store, with its data. */
  default void restart() {
    throw new UnsupportedOperationException("the store cannot be restarted here");
  }

  /** Restarts the store without its data. */
  default void restartEmpty() {
    throw new UnsupportedOperationException("the store cannot be restarted here");
  }

  /** Ends what it started. The clients are closed by then. */
  @Override
  default void close() {
    // Most start nothing.
  }
}
