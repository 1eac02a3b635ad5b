package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Lists, and what strangers write; the findings of one server. */
class OperatorTest extends ServerTest {
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
