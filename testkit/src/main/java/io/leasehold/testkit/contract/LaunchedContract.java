package io.leasehold.testkit.contract;

import java.util.function.Supplier;

/** The contract as {@link ContractRun} launches it. */
final class LaunchedContract extends StoreContract {
  private final Supplier<? extends ContractFixture> fixtures;

  LaunchedContract(Supplier<? extends ContractFixture> fixtures) {
    this.fixtures = fixtures;
  }

  @Override
  protected ContractFixture fixture() {
    return fixtures.get();
  }
}
