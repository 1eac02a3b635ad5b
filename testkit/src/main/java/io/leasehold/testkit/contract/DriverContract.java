package io.leasehold.testkit.contract;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The part of the contract that another driver, or another way to the same server, can break: who
 * is excluded, how requests are answered and repeated, how names travel, and what a lost request
 * leaves. For a store that passes the whole {@link StoreContract} by one way already; the rest of
 * the contract depends on the server's data and on the engine, which are the same by every way.
 */
@ExtendWith(ContractExtension.class)
public abstract class DriverContract
    implements ExclusionRules, AnswerRules, LostRequestRules, NameRules {

  /** For subclasses. */
  protected DriverContract() {}

  /** How the store is reached: a new one for each test, which closes it. */
  protected abstract ContractFixture fixture();
}
