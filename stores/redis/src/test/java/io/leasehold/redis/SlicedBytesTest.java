package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import io.lettuce.core.RedisClient;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Each byte comes by itself. */
class SlicedBytesTest extends ServerTest {
  SlicedBytesTest() {
    super(RedisServer.of(Kind.VALKEY_8));
  }

  @Test
  void everythingGoesOn() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE)) {
      proxy.slice(Direction.TO_SERVER);
      proxy.slice(Direction.TO_CLIENT);
      useEverything(clientAt(server.urlBy(proxy.port()), how -> how));
    }
  }

  @Test
  void everythingGoesOnOverLettuce() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE);
        RedisClient lettuce = Lettuce.at(server.urlBy(proxy.port()))) {
      proxy.slice(Direction.TO_SERVER);
      proxy.slice(Direction.TO_CLIENT);
      useEverything(add(Leasehold.builder(LettuceStores.using(lettuce, prefix()))));
    }
  }

  private void useEverything(Engine client) throws Exception {
    Engine other = client();
    for (String name : new String[] {"a", "\u00e9\ud83d\ude00\r\n$-1\r\n"}) {
      client.lock(name).acquire().release();
      Lease held = other.lock(name).acquire();
      assertThat(client.lock(name).tryAcquire()).isEmpty();
      CompletableFuture<Lease> waiter = beginToWait(client.lock(name), other);
      awaitListening();
      held.release();
      Lease next = served(waiter);
      next.ensureHeld(next.remaining().plusNanos(1));
      assertThat(client.list()).singleElement().extracting("name").isEqualTo(name);
      assertThat(client.diagnose()).hasSizeGreaterThan(2);
      next.release();
    }
    requireNothingLeft(client);
    requireNothingInTheStore();
    client.close();
  }
}
