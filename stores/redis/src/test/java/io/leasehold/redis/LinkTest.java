package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.redis.Command.Name;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;

class LinkTest extends ServerTest {
  LinkTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  /**
   * Jedis connects again when it writes; what it wrote there would come late, and without login.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneThatHasEndedSendsNothingMore(boolean shareable) {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP)) {
      StoreUrl url = StoreUrl.parse(server.urlBy(proxy.port()));
      Link link =
          shareable
              ? ServerAddress.ofMember(url, Map.of(), Set.of()).open()
              : ServerAddress.of(url, Map.of(), Set.of()).open();
      int requests = proxy.requests();
      link.end();
      assertThatThrownBy(
              () -> {
                link.write(Command.of(Name.PING));
                link.flush();
              })
          .isInstanceOf(JedisConnectionException.class);
      assertThat(proxy.requests()).isEqualTo(requests);
    }
  }
}
