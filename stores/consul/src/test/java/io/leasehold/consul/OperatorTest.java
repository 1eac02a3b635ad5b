package io.leasehold.consul;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.sessions.Entry;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Lists, and what strangers write; the findings of one server. */
class OperatorTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  OperatorTest() {
    super(ConsulServer.configured().start());
  }

  @Test
  void aHolderIsListedWithItsNameAndAge() throws Exception {
    Engine client = client();
    Lease held = client.lock("a/b").acquire();
    Engine other = client();
    LockSnapshot seen = other.list().get(0);
    assertThat(seen.name()).isEqualTo("a/b");
    assertThat(seen.holders()).hasSize(1);
    assertThat(seen.holders().get(0).fencingToken()).isEqualTo(held.fencingToken());
    assertThat(seen.holders().get(0).heldFor()).isLessThan(Duration.ofMinutes(1));
    assertThat(seen.holders().get(0).holder()).isNotEmpty();
    held.release();
  }

  /** It is no entry, or says what it likes about one. */
  @Test
  void aKeyOfAStrangerTakesNoPlaceAndMakesNone() throws Exception {
    Engine client = client();
    Engine other = client();
    Lease held = client.lock("a").acquire();
    server.put("/v1/kv/" + prefix() + "lock/a/note", "hello");
    server.put("/v1/kv/" + prefix() + "lock/note", "hello");
    String entry =
        server
            .get("/v1/kv/" + prefix() + "lock/a/x-?keys")
            .replaceAll("(?s)[^\"]*\"([^\"]*)\".*", "$1");
    server.put("/v1/kv/" + entry, "\u0000nonsense");
    assertThat(other.lock("a").tryAcquire()).isEmpty();
    held.release();
    other.lock("a").tryAcquire().orElseThrow().release();
  }

  /** The next acquisition has the key of the one that has left. */
  @Test
  void aLeaseIsNotBrokenForAnEarlierOneThatHadItsKey() throws Exception {
    Engine client = client();
    Lease held = client.lock("a").acquire();
    AgentAddress address = AgentAddress.of(StoreUrl.parse(server.url()), Map.of());
    Entries entries = new Entries(prefix(), new SystemClock());
    ConsulStore store = new ConsulStore(Connection.open(address), entries);
    try {
      Entry seen = listed(store);
      held.release();
      Lease next = client.lock("a").acquire();
      Entry its = listed(store);
      assertThat(its.key()).isEqualTo(seen.key());
      assertThat(its.id()).isNotEqualTo(seen.id());
      assertThat(store.remove(seen, WITHIN).toCompletableFuture())
          .succeedsWithin(WITHIN)
          .isEqualTo(false);
      assertThat(listed(store).id()).isEqualTo(its.id());
      next.release();
      assertThat(store.remove(its, WITHIN).toCompletableFuture())
          .succeedsWithin(WITHIN)
          .isEqualTo(false);
    } finally {
      store.close();
    }
  }

  private static Entry listed(ConsulStore store) throws Exception {
    return store.list(Optional.of("a"), WITHIN).toCompletableFuture().get(1, MINUTES).get(0);
  }

  @Test
  void aSingleServerIsAWarning() {
    assertThat(client().diagnose())
        .filteredOn(each -> each.level() == Level.WARNING)
        .extracting(Finding::check)
        .containsExactly("servers");
    assertThat(client().diagnose())
        .anySatisfy(each -> assertThat(each.detail()).startsWith("from 10s"));
  }
}
