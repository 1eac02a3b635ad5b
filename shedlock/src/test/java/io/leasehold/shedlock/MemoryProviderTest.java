package io.leasehold.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

class MemoryProviderTest extends ProviderContract {
  private final InMemoryServer server = new InMemoryServer();

  @Override
  LockClientBuilder builder() {
    return Leasehold.builder(server);
  }

  /** On ZooKeeper, etcd and Consul no lease outlives its process. */
  @Test
  void atLeastForIsRefusedWhereLeasesEndWithASession() {
    InMemorySettings sessions =
        InMemorySettings.defaults()
            .withFeatures(Feature.FENCING, Feature.QUEUE, Feature.TOMBSTONES, Feature.SESSIONS);
    try (LockClient client = Leasehold.builder(new InMemoryServer(sessions)).build()) {
      LeaseholdLockProvider provider = new LeaseholdLockProvider(client);
      assertThatThrownBy(() -> provider.lock(configuration(Duration.ofSeconds(1))))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("end with their session");
      SimpleLock lock = provider.lock(configuration(Duration.ZERO)).orElseThrow();
      assertThatThrownBy(() -> lock.extend(Duration.ofMinutes(1), Duration.ofSeconds(1)))
          .isInstanceOf(UnsupportedOperationException.class);
      lock.unlock();
      assertThat(client.lock("task").isLocked()).isFalse();
    }
  }

  /** The name of a dead process is locked no longer than it asked for. */
  @Test
  void theTtlIsNoLongerThanAtMostFor() {
    try (LockClient client = builder().build()) {
      LockConfiguration tenSeconds =
          new LockConfiguration(Instant.now(), "task", Duration.ofSeconds(10), Duration.ZERO);
      assertThat(new LeaseholdLockProvider(client).lock(tenSeconds)).isPresent();
      assertThat(server.list().get(0).holders().get(0).remaining())
          .isLessThanOrEqualTo(Duration.ofSeconds(10));
    }
  }

  /** A task that is done has its result, whatever becomes of its lease. */
  @Test
  void aStoreThatIsDownIsToldAtTheLockAndNotAtTheUnlock() {
    FaultyStore store = new FaultyStore(server);
    try (LockClient client =
        Leasehold.builder(store).requestTimeout(Duration.ofMillis(300)).build()) {
      LeaseholdLockProvider provider = new LeaseholdLockProvider(client);
      SimpleLock lock = provider.lock(configuration(Duration.ZERO)).orElseThrow();
      store.cut();
      lock.unlock();
      assertThatThrownBy(() -> provider.lock(configuration(Duration.ZERO)))
          .isInstanceOf(StoreException.class);
      store.heal();
    }
  }

  private static LockConfiguration configuration(Duration atLeast) {
    return new LockConfiguration(Instant.now(), "task", Duration.ofMinutes(5), atLeast);
  }
}
