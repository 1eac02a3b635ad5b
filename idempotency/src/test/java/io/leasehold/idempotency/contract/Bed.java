package io.leasehold.idempotency.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** A store under test, and the words of the rules. Each rule has a key of its own. */
final class Bed {
  static final Duration WITHIN = Duration.ofSeconds(10);
  static final Duration LONG = Duration.ofMinutes(10);
  static final Duration SHORT = Duration.ofMillis(150);

  final IdempotencyStore store;
  private final Duration patience;
  final String key = "rule/" + UUID.randomUUID();

  Bed(IdempotencyStore store) {
    this(store, WITHIN);
  }

  /**
   * On a store.
   *
   * @param patience how long what must come is waited for; less where it is expected not to come
   */
  Bed(IdempotencyStore store, Duration patience) {
    this.store = store;
    this.patience = patience;
  }

  void await(Callable<Boolean> condition) {
    Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(patience).until(condition);
  }

  static String owner() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  ClaimAnswer ask(String owner, Intent intent, Duration life, Duration keep) {
    return ask(key, owner, "f1", intent, life, keep);
  }

  ClaimAnswer ask(
      String of, String owner, String fingerprint, Intent intent, Duration life, Duration keep) {
    return store.claim(new ClaimRequest(of, owner, fingerprint, intent, life, keep), WITHIN);
  }

  ClaimAnswer ask(Intent intent) {
    return ask(owner(), intent, LONG, LONG);
  }

  /** Claims the rule's key, which must be possible. */
  ClaimId claim() {
    return claim(Intent.CLAIM, false);
  }

  ClaimId takeOver() {
    return claim(Intent.TAKE_OVER, true);
  }

  private ClaimId claim(Intent intent, boolean takenOver) {
    String owner = owner();
    ClaimAnswer answer = ask(owner, intent, LONG, LONG);
    assertThat(answer).isInstanceOf(Claimed.class);
    assertThat(((Claimed) answer).takenOver()).isEqualTo(takenOver);
    return new ClaimId(key, owner, ((Claimed) answer).token());
  }

  ClaimId lapsed() {
    ClaimId claim = claim();
    lapse(claim);
    return claim;
  }

  void lapse(ClaimId claim) {
    assertThat(store.extend(claim, Duration.ZERO, LONG, WITHIN)).isTrue();
  }

  boolean extend(ClaimId claim) {
    return store.extend(claim, LONG, LONG, WITHIN);
  }

  boolean complete(ClaimId claim, String value) {
    return store.complete(claim, value(value), LONG, WITHIN);
  }

  static Outcome value(String text) {
    return new Outcome(Outcome.Kind.VALUE, text.getBytes(StandardCharsets.UTF_8));
  }

  static ClaimAnswer finished(String text) {
    return new ClaimAnswer.Finished(value(text));
  }
}
