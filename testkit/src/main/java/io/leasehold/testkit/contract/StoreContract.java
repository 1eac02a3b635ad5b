package io.leasehold.testkit.contract;

/**
 * The promises R1 to R21 that every store is held to, by two clients. A store's test class extends
 * this:
 *
 * <pre>{@code
 * class FileStoreContractTest extends StoreContract {
 *   @TempDir Path dir;
 *
 *   @Override
 *   protected ContractFixture fixture() {
 *     return new StoreFixture(FileStore.at(dir.resolve("locks.db")));
 *   }
 * }
 * }</pre>
 *
 * <p>How the tests are kept honest:
 *
 * <ul>
 *   <li>Where a reply is lost, a connection cut, or two requests change places, the ttl is ten
 *       minutes and the next client must be in within seconds, with nothing left in doubt, for
 *       every request by its number. A test that lets the ttl heal proves nothing.
 *   <li>Tests of wake-ups run with polling off, tests of polling with wake-ups off.
 *   <li>Nothing must be faster than a loaded machine can be; what must not take a ttl has seconds,
 *       and the ttl is ten minutes.
 *   <li>Each test ends with nothing left: in the clients, in the store.
 *   <li>What a store cannot do is declared, aborts the test with the reason, and is counted.
 *   <li>For each rule there is a broken store that fails its tests and passes all others.
 * </ul>
 *
 * <p>The tests of a class run beside each other if {@code junit.jupiter.execution.parallel.enabled}
 * is set.
 */
public abstract class StoreContract extends DriverContract
    implements TokenRules,
        LeaseRules,
        ReleaseRules,
        WaiterRules,
        StormRules,
        ExpiryRules,
        WakeUpRules,
        ClientRules,
        DeadlineRules,
        VirtualThreadRules,
        OrderRules,
        RunRules,
        LeadershipRules {

  /** For subclasses. */
  protected StoreContract() {}
}
