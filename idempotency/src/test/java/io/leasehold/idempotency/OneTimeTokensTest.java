package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasehold.idempotency.OneTimeTokens.Consumption;
import io.leasehold.idempotency.OneTimeTokens.OnFailure;
import io.leasehold.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OneTimeTokensTest {
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final byte[] OLD = key(1);
  private static final byte[] NEW = key(2);

  private final ManualClock clock = new ManualClock();
  private final FaultyStore store = new FaultyStore(new InMemoryIdempotencyStore(clock));
  private final OneTimeTokens tokens = new OneTimeTokens(store, List.of(OLD), clock);

  private static byte[] key(int of) {
    byte[] key = new byte[32];
    key[0] = (byte) of;
    return key;
  }

  @Test
  void isConsumedOnce() {
    String token = tokens.issue("order:alice", TTL);
    assertThat(store.asked).isEmpty();
    assertThat(tokens.consume("order:bob", token)).isEqualTo(Consumption.WRONG_SCOPE);
    assertThat(tokens.consume("order:alice", token)).isEqualTo(Consumption.CONSUMED);
    assertThat(tokens.consume("order:alice", token)).isEqualTo(Consumption.ALREADY_USED);
    assertThat(store.asked).containsExactly("mark", "mark");
    assertThat(tokens.giveBack(token)).isTrue();
    assertThat(tokens.consume("order:alice", token)).isEqualTo(Consumption.CONSUMED);
  }

  @Test
  void oneOfManyHasIt() throws Exception {
    String token = tokens.issue("s", TTL);
    ExecutorService threads = Executors.newFixedThreadPool(16);
    Callable<Consumption> consume = () -> tokens.consume("s", token);
    List<Consumption> all = new ArrayList<>();
    for (Future<Consumption> one : threads.invokeAll(Collections.nCopies(16, consume))) {
      all.add(one.get(30, TimeUnit.SECONDS));
    }
    threads.shutdown();
    assertThat(all).filteredOn(Consumption.CONSUMED::equals).hasSize(1);
    assertThat(all).filteredOn(Consumption.ALREADY_USED::equals).hasSize(15);
  }

  @Test
  void expires() {
    String used = tokens.issue("s", TTL);
    String unused = tokens.issue("s", TTL);
    assertThat(tokens.consume("s", used)).isEqualTo(Consumption.CONSUMED);
    clock.advance(TTL.minusMillis(1));
    assertThat(tokens.consume("s", used)).isEqualTo(Consumption.ALREADY_USED);
    clock.advance(Duration.ofMillis(1));
    store.asked.clear();
    assertThat(tokens.consume("s", used)).isEqualTo(Consumption.EXPIRED);
    assertThat(tokens.consume("s", unused)).isEqualTo(Consumption.EXPIRED);
    assertThat(store.asked).isEmpty();
  }

  /** A host whose clock is behind accepts it for longer, and must find its mark. */
  @Test
  void isNotUsedTwiceWhereClocksDiffer() {
    ManualClock behind = new ManualClock();
    OneTimeTokens there = new OneTimeTokens(store, List.of(OLD), behind);
    String token = tokens.issue("s", TTL);
    assertThat(tokens.consume("s", token)).isEqualTo(Consumption.CONSUMED);
    clock.advance(TTL.plusMinutes(4));
    behind.advance(TTL.minusMinutes(1));
    assertThat(there.consume("s", token)).isEqualTo(Consumption.ALREADY_USED);
  }

  @Test
  void everyForgedOneIsUnknown() {
    String token = tokens.issue("s", TTL);
    byte[] bytes = Base64.getUrlDecoder().decode(token);
    for (int i = 0; i < bytes.length; i++) {
      byte[] forged = bytes.clone();
      forged[i] ^= 1;
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(forged);
      assertThat(tokens.consume("s", text)).as("byte %s", i).isEqualTo(Consumption.UNKNOWN);
    }
    for (String other : List.of("", "x", "%%%", token + "A", token.substring(1))) {
      assertThat(tokens.consume("s", other)).as(other).isEqualTo(Consumption.UNKNOWN);
    }
    assertThat(new OneTimeTokens(store, List.of(NEW), clock).consume("s", token))
        .isEqualTo(Consumption.UNKNOWN);
    assertThat(store.asked).isEmpty();
  }

  @Test
  void keysRotate() {
    String old = tokens.issue("s", TTL);
    OneTimeTokens both = new OneTimeTokens(store, List.of(NEW, OLD), clock);
    assertThat(both.consume("s", old)).isEqualTo(Consumption.CONSUMED);
    String fresh = both.issue("s", TTL);
    assertThat(tokens.consume("s", fresh)).isEqualTo(Consumption.UNKNOWN);
    assertThat(new OneTimeTokens(store, List.of(OLD, NEW), clock).consume("s", fresh))
        .isEqualTo(Consumption.CONSUMED);
    assertThatThrownBy(() -> OneTimeTokens.on(store, List.of(new byte[31])))
        .hasMessageContaining("32");
    assertThatThrownBy(() -> OneTimeTokens.on(store, List.of())).hasMessageContaining("32");
  }

  @Test
  void aFailureBurnsOrGivesBack() throws Exception {
    String burnt = tokens.issue("s", TTL);
    String given = tokens.issue("s", TTL);
    assertThatThrownBy(() -> tokens.consumeBefore("s", burnt, OnFailure.BURN, claim -> failing()))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> tokens.consumeBefore("s", given, OnFailure.GIVE_BACK, claim -> failing()))
        .isInstanceOf(IOException.class);
    TokenRefusedException refused =
        catchThrowableOfType(
            TokenRefusedException.class,
            () -> tokens.consumeBefore("s", burnt, OnFailure.BURN, claim -> "again"));
    assertThat(refused.why()).isEqualTo(Consumption.ALREADY_USED);
    String again = tokens.consumeBefore("s", given, OnFailure.BURN, claim -> "again");
    assertThat(again).isEqualTo("again");
  }

  private static String failing() throws IOException {
    throw new IOException("no");
  }

  @Test
  void afterTheWorkASecondSubmissionGetsTheFirstsResult() {
    try (Idempotency idempotency = Idempotency.builder(store).build()) {
      IdempotentOperation<String> order = idempotency.operation("order", Codec.TEXT);
      String token = tokens.issue("s", TTL);
      String first = tokens.consumeAfter("s", token, order, claim -> "4711");
      String second = tokens.consumeAfter("s", token, order, claim -> "4712");
      assertThat(List.of(first, second)).containsExactly("4711", "4711");
      assertThatThrownBy(() -> tokens.consumeAfter("t", token, order, claim -> "4712"))
          .isInstanceOf(TokenRefusedException.class);
    }
  }

  @Test
  void theCounterWay() {
    String token = tokens.issueCounted("s", TTL);
    assertThat(tokens.consumeCounted("s", token)).isEqualTo(Consumption.CONSUMED);
    assertThat(tokens.consumeCounted("s", token)).isEqualTo(Consumption.ALREADY_USED);
    assertThat(tokens.consumeCounted("s", tokens.issue("s", TTL))).isEqualTo(Consumption.UNKNOWN);
    assertThat(tokens.consumeCounted("t", token)).isEqualTo(Consumption.WRONG_SCOPE);
  }
}
