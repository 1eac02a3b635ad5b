package io.leasehold.jdbc;

import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The promises, on a file of its own for each test. */
class FileStoreContractTest extends StoreContract {
  @TempDir(factory = InMemory.class)
  Path dir;

  @Override
  protected ContractFixture fixture() {
    return new StoreFixture(
            new JdbcStoreProvider().factory(StoreUrl.parse("file:" + dir.resolve("locks.db"))))
        .without(Ability.LATE_REQUESTS, "a file has no wire that a request could be late on");
  }
}
