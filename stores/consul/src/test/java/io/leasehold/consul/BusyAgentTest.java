package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** An agent that hardly gets the processor, and renewals that come late. */
class BusyAgentTest extends ServerTest {
  private static final Pattern ID = Pattern.compile("\"ID\": ?\"([0-9a-f-]{36})\"");

  BusyAgentTest() {
    super(ConsulServer.configured().start());
  }

  @Test
  void aLeaseIsKeptThroughAnAgentThatRunsATenthOfTheTime() throws Exception {
    Engine client = client(how -> how.ttl(SHORT));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Void> lost = loss(held);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < SHORT.plus(SHORT.dividedBy(2)).toNanos()) {
      server.pause();
      pass(Duration.ofMillis(450));
      server.resume();
      pass(Duration.ofMillis(50));
    }
    assertThat(lost).isNotDone();
    assertThat(held.isHeld()).isTrue();
    held.release();
    requireNothingLeft(client);
  }

  /** The server takes it until it has ended the session, which it does up to one ttl late. */
  @Test
  void aRenewalThatComesAfterTheTtlRevivesTheSessionButNoLease() throws Exception {
    String session = server.put("/v1/session/create", "{\"TTL\":\"" + SHORT.toSeconds() + "s\"}");
    Matcher id = ID.matcher(session);
    assertThat(id.find()).isTrue();
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine client = clientAt(server.urlBy(proxy.port()), how -> how.ttl(SHORT));
      Lease held = client.lock("a").acquire();
      CompletableFuture<Void> lost = loss(held);
      proxy.drop(Direction.TO_SERVER);
      proxy.drop(Direction.TO_CLIENT);
      assertThat(lost).succeedsWithin(PATIENCE);
      pass(Duration.ofSeconds(2));
      assertThat(server.put("/v1/session/renew/" + id.group(1), "")).contains(id.group(1));
      proxy.cutAll();
      proxy.heal();
      proxy.cutAll();
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(held.isHeld()).isFalse();
      next.release();
      requireNothingLeft(client);
    }
  }
}
