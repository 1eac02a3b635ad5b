package io.leasehold.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.servers.JavaProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** A provider on a real server, by its URL: also what becomes of the locks of a killed process. */
abstract class ServerProviderContract extends ProviderContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  abstract String url();

  @Override
  LockClientBuilder builder() {
    return Leasehold.builder(url());
  }

  /** Killed as soon as it has unlocked, on a store whose lease would be over long before. */
  @Test
  void atLeastForOutlivesTheProcess() throws Exception {
    Duration atLeast = Duration.ofSeconds(20);
    long begin = System.nanoTime();
    try (LockClient client = builder().build();
        JavaProcess node =
            JavaProcess.start(Node.class, url() + ttl("10s"), "PT10M", atLeast.toString())) {
      LeaseholdLockProvider provider = new LeaseholdLockProvider(client);
      node.await("locked");
      node.say("unlock");
      node.await("unlocked");
      node.signal("KILL");
      awaitFree(provider);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(atLeast);
    }
  }

  /** Sooner than ShedLock: after the ttl, not after lockAtMostFor. */
  @Test
  void theLockOfAKilledProcessComesFreeAfterTheTtl() throws Exception {
    try (LockClient client = builder().build();
        JavaProcess node = JavaProcess.start(Node.class, url() + ttl("10s"), "PT10M", "PT0S")) {
      LeaseholdLockProvider provider = new LeaseholdLockProvider(client);
      node.await("locked");
      assertThat(provider.lock(task())).isEmpty();
      node.signal("KILL");
      awaitFree(provider);
    }
  }

  private String ttl(String ttl) {
    return (url().contains("?") ? "&" : "?") + "ttl=" + ttl;
  }

  private static void awaitFree(LeaseholdLockProvider provider) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              Optional<SimpleLock> next = provider.lock(task());
              next.ifPresent(SimpleLock::unlock);
              return next.isPresent();
            });
  }

  private static LockConfiguration task() {
    return new LockConfiguration(Instant.now(), Node.TASK, Duration.ofMinutes(10), Duration.ZERO);
  }
}
