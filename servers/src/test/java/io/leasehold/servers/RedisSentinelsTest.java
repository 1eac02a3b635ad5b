package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisServer.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failovers that tests ask for. */
@Timeout(180)
class RedisSentinelsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** It gives one up after 6 s; a busy machine can be as slow as that. */
  @Test
  void aFailoverThatTheSentinelGivesUpIsAskedForAgain() throws Exception {
    try (RedisSentinels fleet = RedisSentinels.of(Kind.REDIS_7_0).start()) {
      RedisServer replica = fleet.replicas().get(0);
      replica.process().pause();
      CompletableFuture<Void> failover = CompletableFuture.runAsync(fleet::failOver);
      Path log = fleet.sentinels().get(0).process().log();
      await().atMost(PATIENCE).until(() -> Files.readString(log).contains("-failover-abort"));
      replica.process().resume();
      failover.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(fleet.primary()).isEqualTo(replica);
    }
  }
}
