package io.leasehold.testkit.contract;

import io.leasehold.Quorum;
import io.leasehold.spi.Traits;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on the in-memory store as it resembles the kinds of stores that there are. */
class InMemoryContractTest {
  private static final Traits.Poll POLLED =
      new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE);

  /** Its server can be restarted, with and without its data. */
  private static final class Fixture extends StoreFixture {
    private final InMemoryServer server;

    Fixture(InMemorySettings settings) {
      this(new InMemoryServer(settings));
      if (!settings.features().contains(Feature.TOMBSTONES)) {
        without(Ability.FINAL_WITHDRAWAL, "the server does not remember what was withdrawn");
      }
    }

    private Fixture(InMemoryServer server) {
      super(server);
      this.server = server;
      with(Ability.RESTART);
      with(Ability.RESTART_EMPTY);
    }

    @Override
    public void restart() {
      server.restart();
    }

    @Override
    public void restartEmpty() {
      server.restartEmpty();
    }
  }

  @Nested
  class Everything extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(InMemorySettings.defaults());
    }
  }

  /** As a table in a database: its verbs block, it must be polled, it keeps no queue. */
  @Nested
  @Tag("jdk")
  class Polled extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(Feature.FENCING)
              .withCalls(Traits.Calls.BLOCKING)
              .withPoll(POLLED));
    }
  }

  /** As ZooKeeper: sessions, a strict queue, no tombstones. */
  @Nested
  class Sessions extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(Feature.FENCING, Feature.QUEUE, Feature.NO_BARGING, Feature.SESSIONS));
    }
  }

  /**
   * As ZooKeeper over one session: a renewal yields half of the ttl, a try is seen by others until
   * it is answered, and a holder's client is told who comes to wait.
   */
  @Nested
  class SessionsOfHalfYield extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING,
                  Feature.QUEUE,
                  Feature.NO_BARGING,
                  Feature.SESSIONS,
                  Feature.HALF_YIELD,
                  Feature.VISIBLE_TRIES,
                  Feature.REPORTS_WANTED));
    }
  }

  /** As a bare key and value: a lock alone, and nothing else. */
  @Nested
  class ExclusiveOnly extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(Feature.FENCING, Feature.TOMBSTONES, Feature.EXCLUSIVE_ONLY));
    }
  }

  /** As a script in Redis: who releases grants to the next. */
  @Nested
  class DirectGrant extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING, Feature.QUEUE, Feature.DIRECT_GRANT, Feature.TOMBSTONES));
    }
  }

  /** As the Redis store: the message itself says what was granted. */
  @Nested
  class GrantMessages extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING,
                  Feature.QUEUE,
                  Feature.NEIGHBOURS,
                  Feature.DIRECT_GRANT,
                  Feature.GRANT_MESSAGES,
                  Feature.TOMBSTONES));
    }
  }

  /** As memcached: no numbers, no wake-ups, whole seconds. */
  @Nested
  class Bare extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new Fixture(
          InMemorySettings.defaults()
              .withFeatures()
              .withTtl(Duration.ofSeconds(1), Duration.ofDays(30), Duration.ofSeconds(1))
              .withPoll(POLLED));
    }
  }

  /** A majority of three servers that have nothing to do with each other. */
  private static final class QuorumFixture extends StoreFixture {
    private final List<InMemoryServer> servers;

    QuorumFixture(InMemorySettings settings) {
      this(Stream.generate(() -> new InMemoryServer(settings)).limit(3).toList());
    }

    private QuorumFixture(List<InMemoryServer> servers) {
      super(Quorum.of(servers.toArray(InMemoryServer[]::new)));
      this.servers = servers;
      with(Ability.RESTART);
      with(Ability.RESTART_EMPTY);
    }

    @Override
    public void restart() {
      servers.forEach(InMemoryServer::restart);
    }

    @Override
    public void restartEmpty() {
      InMemoryServer.restartEmpty(servers);
    }
  }

  @Nested
  class QuorumOfEverything extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new QuorumFixture(InMemorySettings.defaults());
    }
  }

  /** Each member grants to the head of its queue, and its verbs block. */
  @Nested
  class QuorumOfDirectGrants extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new QuorumFixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING, Feature.QUEUE, Feature.DIRECT_GRANT, Feature.TOMBSTONES)
              .withCalls(Traits.Calls.BLOCKING));
    }
  }

  /** Each member keeps its order, which no waiter overtakes. */
  @Nested
  class QuorumOfStrictQueues extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new QuorumFixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING, Feature.QUEUE, Feature.NO_BARGING, Feature.TOMBSTONES));
    }
  }

  /** Its members forget no number, so it has tokens. */
  @Nested
  class QuorumWithTokens extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new QuorumFixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING, Feature.SURVIVES_RESTART, Feature.QUEUE, Feature.TOMBSTONES));
    }
  }

  /** Each member gives a number of its own first, and takes the one that is asked for later. */
  @Nested
  class QuorumWithTokensOfDirectGrants extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new QuorumFixture(
          InMemorySettings.defaults()
              .withFeatures(
                  Feature.FENCING,
                  Feature.SURVIVES_RESTART,
                  Feature.QUEUE,
                  Feature.DIRECT_GRANT,
                  Feature.TOMBSTONES)
              .withCalls(Traits.Calls.BLOCKING));
    }
  }
}
