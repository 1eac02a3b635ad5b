package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.testkit.ManualClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long an item lives, and what a lease is told of it. */
class LifeTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(10);

  /** What the server says is left, in seconds; -1 is for ever. */
  private long secondsLeft(String name) {
    String answer = server.command("mg " + key(name) + " t").get(0);
    assertThat(answer).startsWith("HD t");
    return Long.parseLong(answer.substring(4));
  }

  /** The server's clock may tick between the request and the question. */
  @ParameterizedTest
  @CsvSource({"PT1S,3", "PT1.001S,4", "PT10S,12", "PT10M,602", "P29DT23H59M57S,2591999"})
  void r5ATtlIsRoundedUpAndHasTwoSecondsMore(Duration ttl, long seconds) throws Exception {
    Lease held =
        client().lock("a").with(LockOptions.defaults().withTtl(ttl).withoutRenewal()).acquire();
    assertThat(secondsLeft("a")).isBetween(seconds - 1, seconds);
    held.release();
  }

  @ParameterizedTest
  @CsvSource({"PT0S", "PT0.999S", "P29DT23H59M58S", "P30D", "P365D"})
  void r5WhatWouldBeForEverOrADateIsRefused(Duration ttl) {
    Engine client = client();
    assertThatThrownBy(() -> client.lock("a").with(LockOptions.defaults().withTtl(ttl)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRenewalIsNeverToAShorterLife() throws Exception {
    LockOptions kept =
        LockOptions.defaults().withTtl(Duration.ofSeconds(2)).withMinHold(Duration.ofMinutes(1));
    client().lock("a").with(kept).acquire().release();
    assertThat(secondsLeft("a")).isBetween(60L, 63L);
  }

  private LockStore store(Clock clock) {
    ServerUrl url =
        ServerUrl.of(StoreUrl.parse(server.url()), MemcachedStoreProvider.FORM, Set.of(), Map.of());
    return MemcachedStore.open(
        url,
        key(""),
        clock,
        new StoreListener() {
          @Override
          public void wake(LeaseId id) {}

          @Override
          public void reconnected() {}

          @Override
          public void lost(Collection<LeaseId> ids) {}
        });
  }

  private static Ticket ticket(long number, Duration ttl) {
    LeaseId id = new LeaseId(1, number);
    return new Ticket("a", id, LockMode.EXCLUSIVE, 1, 1, ttl, Ticket.Intent.TRY, false, "me");
  }

  private static Attempt attempt(LockStore store, Ticket ticket) throws Exception {
    return store
        .attempt(ticket, WITHIN)
        .toCompletableFuture()
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static Renewal renew(LockStore store, Ticket ticket) throws Exception {
    CompletableFuture<Renewal> answer = new CompletableFuture<>();
    store.renew(List.of(ticket), WITHIN, (id, renewal) -> answer.complete(renewal));
    return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void r3ARepeatIsToldWhatIsLeftSinceTheRequestThatWrote() throws Exception {
    ManualClock clock = new ManualClock();
    Duration ttl = Duration.ofSeconds(60);
    try (LockStore store = store(clock)) {
      Ticket ticket = ticket(1, ttl);
      assertThat(attempt(store, ticket)).isEqualTo(new Attempt.Granted(0, ttl, false));
      clock.advance(Duration.ofSeconds(7));
      assertThat(attempt(store, ticket))
          .isEqualTo(new Attempt.Granted(0, Duration.ofSeconds(53), false));
      clock.advanceWall(Duration.ofSeconds(13)); // the host was suspended
      assertThat(attempt(store, ticket))
          .isEqualTo(new Attempt.Granted(0, Duration.ofSeconds(40), false));
      assertThat(renew(store, ticket)).isEqualTo(new Renewal.Renewed(ttl, false));
      assertThat(attempt(store, ticket)).isEqualTo(new Attempt.Granted(0, ttl, false));
      store.release(ticket, WITHIN).toCompletableFuture().get();
    }
  }

  @Test
  void aRequestThatHasNoTimeLeftIsNotSent() throws Exception {
    try (LockStore store = store(new ManualClock())) {
      long before = Long.parseLong(server.stats().get("cmd_set"));
      assertThatThrownBy(
              () -> store.attempt(ticket(1, WITHIN), Duration.ZERO).toCompletableFuture().join())
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining("in time");
      assertThat(server.stats().get("cmd_set")).isEqualTo(String.valueOf(before));
    }
  }
}
