/**
 * The contract that every store is held to: the promises R1 to R21 as JUnit tests. A store's test
 * class extends {@link io.leasehold.testkit.contract.StoreContract} and says how a client is
 * opened; {@link io.leasehold.testkit.contract.ContractRun} runs the same tests from a program and
 * keeps the score.
 */
@NullMarked
package io.leasehold.testkit.contract;

import org.jspecify.annotations.NullMarked;
