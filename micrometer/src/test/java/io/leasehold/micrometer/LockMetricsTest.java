package io.leasehold.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.StoreFactory;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the meters count. */
class LockMetricsTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  // It reports at once who waits, or a hand-over would need a renewal within 50 ms
  private final InMemoryServer server =
      new InMemoryServer(InMemorySettings.defaults().withMoreFeatures(Feature.REPORTS_WANTED));
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private LockClient client = open(server, Duration.ofMinutes(10));

  private static LockClient open(StoreFactory store, Duration ttl) {
    return Leasehold.builder(store).ttl(ttl).build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  private void awaitCount(String counter, String tag, String value, double least) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(registry.get(counter).tag(tag, value).counter().count())
                    .isGreaterThanOrEqualTo(least));
  }

  private long timed(String timer, String template) {
    return registry.get(timer).tag("template", template).timer().count();
  }

  @Test
  void waitsAndHoldsAreTimedAndTheGaugesShowWhatIsHeldNow() throws Exception {
    new LockMetrics(client).bindTo(registry);
    Lease lease = client.lock("order-1").acquire();
    CompletableFuture<Lease> waits = client.lock("order-1").acquireAsync();
    assertThat(registry.get("leasehold.held").gauge().value()).isEqualTo(1);
    assertThat(registry.get("leasehold.waiting").gauge().value()).isEqualTo(1);
    lease.release();
    waits.get(20, TimeUnit.SECONDS).release();
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(timed("leasehold.hold", "all")).isEqualTo(2));
    assertThat(timed("leasehold.acquire", "all")).isEqualTo(2);
    assertThat(timed("leasehold.handover", "all")).as("the second had no request").isEqualTo(1);
    assertThat(registry.get("leasehold.held").gauge().value()).isZero();
    assertThat(registry.get("leasehold.held").gauge().getId().getTag("store"))
        .isEqualTo(client.snapshot().store())
        .isNotEmpty();
  }

  /** Names are data. */
  @Test
  void namesAreNoTagsUnlessAskedFor() throws Exception {
    new LockMetrics(client).bindTo(registry);
    for (int i = 0; i < 100; i++) {
      client.lock("order-" + i).withLock(lease -> {});
    }
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(timed("leasehold.hold", "all")).isEqualTo(100));
    assertThat(registry.getMeters())
        .hasSizeLessThan(20)
        .noneMatch(meter -> meter.getId().toString().contains("order-"));
  }

  @Test
  void aTemplateGroupsNames() throws Exception {
    new LockMetrics(client).withTemplate(name -> name.replaceAll("\\d+", "#")).bindTo(registry);
    client.lock("order-1").withLock(lease -> {});
    client.lock("order-2").withLock(lease -> {});
    client.lock("nightly").withLock(lease -> {});
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(timed("leasehold.hold", "nightly")).isEqualTo(1));
    assertThat(timed("leasehold.hold", "order-#")).isEqualTo(2);
  }

  @Test
  void timeoutsAreCounted() throws Exception {
    new LockMetrics(client).bindTo(registry);
    try (Lease held = client.lock("n").acquire()) {
      assertThat(client.lock("n").tryAcquire(Duration.ofMillis(20))).isEmpty();
      assertThat(held.isHeld()).isTrue();
    }
    awaitCount("leasehold.timeouts", "template", "all", 1);
  }

  /** And there is a zero before, or a rate would not see the first one. */
  @Test
  void failedRenewalsJeopardyAndLossAreCounted() throws Exception {
    client.close();
    FaultyStore faulty = new FaultyStore(server);
    client = open(faulty, Duration.ofMillis(900));
    new LockMetrics(client).bindTo(registry);
    Lease lease = client.lock("n").acquire();
    awaitCount("leasehold.renewals", "outcome", "renewed", 1);
    assertThat(registry.get("leasehold.lost").tag("reason", "expired").counter().count()).isZero();
    faulty.cut();
    awaitCount("leasehold.lost", "reason", "expired", 1);
    awaitCount("leasehold.jeopardy", "template", "all", 1);
    awaitCount("leasehold.renewals", "outcome", "failed", 1);
    assertThat(lease.isHeld()).isFalse();
    faulty.heal();
    for (LockEvent.Lost.Reason reason : LockEvent.Lost.Reason.values()) {
      assertThat(
              registry
                  .get("leasehold.lost")
                  .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                  .counter())
          .isNotNull();
    }
  }
}
