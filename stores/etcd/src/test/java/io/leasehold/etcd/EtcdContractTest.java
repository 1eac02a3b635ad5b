package io.leasehold.etcd;

import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.DriverContract;
import io.leasehold.testkit.contract.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises: all on etcd 3.5, and what needs no look inside on etcd 3.4. */
class EtcdContractTest {
  /** On a server of its own, which the contract restarts; so its tests run one after another. */
  @Nested
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock("OnEtcd35")
  class OnEtcd35 extends StoreContract {
    private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

    @Override
    protected ContractFixture fixture() {
      return new EtcdFixture(server);
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  @Nested
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock("OnEtcd34")
  class OnEtcd34 extends DriverContract {
    private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_4).start();

    @Override
    protected ContractFixture fixture() {
      return new EtcdFixture(server);
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }
}
