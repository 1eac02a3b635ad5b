package io.leasehold.idempotency.contract;

import io.leasehold.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All rules, for one store. Its test class extends this and says how it is opened. */
public abstract class IdempotencyStoreContract {
  /** For subclasses. */
  protected IdempotencyStoreContract() {}

  /** The store, open; the subclass closes it. Its claims and marks are this class's alone. */
  protected abstract IdempotencyStore store();

  @ParameterizedTest
  @EnumSource
  final void holds(StoreRule rule) throws Exception {
    rule.check(store());
  }
}
