package io.leasehold.redis;

import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.juc.JucBehaviours;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/** Locks in Redis behave as those of {@code java.util.concurrent}. */
class RedisJucTest {
  private final String url = SharedServers.of(Kind.VALKEY_9).url() + "?prefix=" + UUID.randomUUID();

  @Nested
  class LocalFirst extends JucBehaviours {
    @Override
    public LockClientBuilder builder() {
      return Leasehold.builder(url);
    }
  }

  @Nested
  class Fair extends JucBehaviours {
    @Override
    public LockClientBuilder builder() {
      return Leasehold.builder(url);
    }

    @Override
    public LockOptions options() {
      return LockOptions.defaults().fair();
    }
  }
}
