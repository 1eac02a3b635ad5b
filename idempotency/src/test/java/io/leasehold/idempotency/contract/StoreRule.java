package io.leasehold.idempotency.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Absent;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimAnswer.Finished;
import io.leasehold.idempotency.spi.ClaimAnswer.Lapsed;
import io.leasehold.idempotency.spi.ClaimAnswer.OtherFingerprint;
import io.leasehold.idempotency.spi.ClaimAnswer.Running;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What every store of the toolkit is held to. Claims live for ten minutes where they must not
 * lapse, and are told to lapse where they must: no rule depends on speed.
 */
public enum StoreRule {
  /** Mutual exclusion. */
  I01("Of any number of concurrent claims of a key exactly one is granted") {
    @Override
    void check(Bed bed) throws Exception {
      List<ClaimAnswer> answers = together(16, () -> bed.ask(Intent.TAKE_OVER));
      assertThat(answers).filteredOn(Claimed.class::isInstance).hasSize(1);
      assertThat(answers).filteredOn(Running.class::isInstance).hasSize(15);
    }
  },
  /** Exclusion over a lapse. */
  I02("Of any number of concurrent take-overs of a lapsed claim exactly one is granted") {
    @Override
    void check(Bed bed) throws Exception {
      bed.lapsed();
      List<ClaimAnswer> answers = together(16, () -> bed.ask(Intent.TAKE_OVER));
      assertThat(answers).filteredOn(Claimed.class::isInstance).hasSize(1);
    }
  },
  /** Repeats. */
  I03("A repeated claim has the same answer") {
    @Override
    void check(Bed bed) {
      String owner = Bed.owner();
      ClaimAnswer first = bed.ask(owner, Intent.CLAIM, Bed.LONG, Bed.LONG);
      assertThat(first).isInstanceOf(Claimed.class);
      assertThat(bed.ask(owner, Intent.CLAIM, Bed.LONG, Bed.LONG)).isEqualTo(first);
    }
  },
  /** Repeats of a take-over. */
  I04(
      "A claim that took another over says so as often as it is asked for, also once it has lapsed") {
    @Override
    void check(Bed bed) {
      bed.lapsed();
      String owner = Bed.owner();
      ClaimAnswer first = bed.ask(owner, Intent.TAKE_OVER, Bed.LONG, Bed.LONG);
      assertThat(first).isEqualTo(new Claimed(((Claimed) first).token(), true));
      assertThat(bed.ask(owner, Intent.TAKE_OVER, Bed.LONG, Bed.LONG)).isEqualTo(first);
      bed.lapse(new ClaimId(bed.key, owner, ((Claimed) first).token()));
      ClaimAnswer again = bed.ask(owner, Intent.TAKE_OVER, Bed.LONG, Bed.LONG);
      assertThat(again).isInstanceOf(Claimed.class);
      assertThat(((Claimed) again).takenOver()).isTrue();
    }
  },
  /** Fencing. */
  I05("Tokens rise: over take-overs, releases, and what was forgotten") {
    @Override
    void check(Bed bed) {
      long last = 0;
      for (int i = 0; i < 4; i++) {
        ClaimId claim = bed.claim();
        assertThat(claim.token()).isGreaterThan(last);
        bed.lapse(claim);
        ClaimId next = bed.takeOver();
        assertThat(next.token()).isGreaterThan(claim.token());
        last = next.token();
        if (i % 2 == 0) {
          assertThat(bed.store.release(bed.key, next.owner(), true, Bed.WITHIN)).isTrue();
        } else {
          assertThat(bed.store.forget(bed.key, Bed.WITHIN)).isTrue();
        }
      }
    }
  },
  /** Mismatch. */
  I06("Another fingerprint is refused, whatever became of the claim, and changes nothing") {
    @Override
    void check(Bed bed) {
      ClaimId claim = bed.claim();
      assertThat(other(bed)).isInstanceOf(OtherFingerprint.class);
      bed.lapse(claim);
      assertThat(other(bed)).isInstanceOf(OtherFingerprint.class);
      assertThat(bed.complete(claim, "done")).isTrue();
      assertThat(other(bed)).isInstanceOf(OtherFingerprint.class);
      assertThat(bed.ask(Intent.CLAIM)).isEqualTo(Bed.finished("done"));
    }

    private ClaimAnswer other(Bed bed) {
      return bed.ask(bed.key, Bed.owner(), "f2", Intent.TAKE_OVER, Bed.LONG, Bed.LONG);
    }
  },
  /** Unknown outcomes. */
  I07("A lapsed claim is told, and not taken over unasked") {
    @Override
    void check(Bed bed) {
      ClaimId claim = bed.lapsed();
      assertThat(bed.ask(Intent.CLAIM)).isEqualTo(new Lapsed(claim.token()));
      assertThat(bed.ask(Intent.LOOK)).isEqualTo(new Lapsed(claim.token()));
      assertThat(bed.complete(claim, "late")).isTrue();
      assertThat(bed.ask(Intent.TAKE_OVER)).isEqualTo(Bed.finished("late"));
    }
  },
  /** Expiry. */
  I08("A claim lapses by itself, and is extended from now") {
    @Override
    void check(Bed bed) {
      ClaimAnswer answer = bed.ask(Bed.owner(), Intent.CLAIM, Bed.SHORT, Bed.LONG);
      assertThat(answer).isInstanceOf(Claimed.class);
      bed.await(() -> bed.ask(Intent.LOOK) instanceof Lapsed);
      ClaimId next = bed.takeOver();
      assertThat(bed.store.extend(next, Bed.LONG.multipliedBy(2), Bed.LONG, Bed.WITHIN)).isTrue();
      ClaimAnswer running = bed.ask(Intent.LOOK);
      assertThat(((Running) running).remaining())
          .isGreaterThan(Bed.LONG)
          .isLessThanOrEqualTo(Bed.LONG.multipliedBy(2));
    }
  },
  /** No revival. */
  I09("What has lapsed, is finished, or another's, is not extended") {
    @Override
    void check(Bed bed) {
      ClaimId claim = bed.lapsed();
      assertThat(bed.extend(claim)).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Lapsed.class);
      ClaimId next = bed.takeOver();
      assertThat(bed.extend(new ClaimId(bed.key, Bed.owner(), next.token()))).isFalse();
      assertThat(bed.extend(new ClaimId(bed.key, next.owner(), claim.token()))).isFalse();
      assertThat(bed.extend(claim)).isFalse();
      assertThat(bed.extend(next)).isTrue();
      assertThat(bed.complete(next, "done")).isTrue();
      assertThat(bed.extend(next)).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isEqualTo(Bed.finished("done"));
    }
  },
  /** Compare and set. */
  I10("A stale owner overwrites nothing") {
    @Override
    void check(Bed bed) {
      ClaimId stale = bed.lapsed();
      ClaimId next = bed.takeOver();
      assertThat(bed.complete(stale, "stale")).isFalse();
      assertThat(bed.complete(new ClaimId(bed.key, next.owner(), stale.token()), "x")).isFalse();
      assertThat(bed.complete(new ClaimId(bed.key, Bed.owner(), next.token()), "x")).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Running.class);
      assertThat(bed.complete(next, "right")).isTrue();
      assertThat(bed.complete(stale, "stale")).isFalse();
      assertThat(bed.ask(Intent.CLAIM)).isEqualTo(Bed.finished("right"));
    }
  },
  /** Repeated completions. */
  I11("A repeated completion succeeds and changes nothing; of what is forgotten none does") {
    @Override
    void check(Bed bed) {
      ClaimId claim = bed.claim();
      assertThat(bed.complete(claim, "one")).isTrue();
      assertThat(bed.complete(claim, "two")).isTrue();
      assertThat(bed.ask(Intent.CLAIM)).isEqualTo(Bed.finished("one"));
      assertThat(bed.store.forget(bed.key, Bed.WITHIN)).isTrue();
      assertThat(bed.complete(claim, "three")).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Absent.class);
      assertThat(bed.store.forget(bed.key, Bed.WITHIN)).isFalse();
    }
  },
  /** Retention. */
  I12("A result is kept for as long as it was said, however long the claim lives") {
    @Override
    void check(Bed bed) {
      String owner = Bed.owner();
      Claimed claimed = (Claimed) bed.ask(owner, Intent.CLAIM, Bed.SHORT, Duration.ofMillis(1));
      ClaimId claim = new ClaimId(bed.key, owner, claimed.token());
      assertThat(bed.complete(claim, "kept")).isTrue();
      // Claimed after it, for as long: once this has lapsed the other would have
      Bed later = new Bed(bed.store);
      later.ask(Bed.owner(), Intent.CLAIM, Bed.SHORT, Bed.LONG);
      bed.await(() -> later.ask(Intent.LOOK) instanceof Lapsed);
      assertThat(bed.ask(Intent.CLAIM)).isEqualTo(Bed.finished("kept"));

      Bed brief = new Bed(bed.store);
      ClaimId long1 = brief.claim();
      assertThat(bed.store.complete(long1, Bed.value("brief"), Duration.ofMillis(1), Bed.WITHIN))
          .isTrue();
      bed.await(() -> brief.ask(Intent.LOOK) instanceof Absent);
      assertThat(brief.claim().token()).isGreaterThan(long1.token());
    }
  },
  /** Unknown outcomes end too. */
  I13("A lapsed claim is kept for as long as it was said, and then is as if it had never been") {
    @Override
    void check(Bed bed) {
      ClaimAnswer answer = bed.ask(Bed.owner(), Intent.CLAIM, Bed.SHORT, Duration.ofMillis(1));
      assertThat(answer).isInstanceOf(Claimed.class);
      bed.await(() -> bed.ask(Intent.LOOK) instanceof Absent);
      bed.claim();
    }
  },
  /** Giving back. */
  I14("Only its owner gives a claim back, and none that is finished") {
    @Override
    void check(Bed bed) {
      ClaimId claim = bed.claim();
      assertThat(bed.store.release(bed.key, Bed.owner(), true, Bed.WITHIN)).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Running.class);
      assertThat(bed.store.release(bed.key, claim.owner(), false, Bed.WITHIN)).isTrue();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Absent.class);
      ClaimId next = bed.claim();
      assertThat(bed.complete(next, "done")).isTrue();
      assertThat(bed.store.release(bed.key, next.owner(), true, Bed.WITHIN)).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isEqualTo(Bed.finished("done"));
    }
  },
  /** Giving back what is unknown. */
  I15("A claim that took another over is given back only if that is asked for") {
    @Override
    void check(Bed bed) {
      bed.lapsed();
      ClaimId next = bed.takeOver();
      assertThat(bed.store.release(bed.key, next.owner(), false, Bed.WITHIN)).isFalse();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Running.class);
      assertThat(bed.store.release(bed.key, next.owner(), true, Bed.WITHIN)).isTrue();
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Absent.class);
    }
  },
  /** Keys. */
  I16("Any key is a key, and no two are one") {
    @Override
    void check(Bed bed) {
      // Below the longest, with the random part
      List<String> keys = new ArrayList<>();
      for (String hostile : HOSTILE) {
        keys.add(bed.key.substring(0, 20) + hostile);
      }
      for (String key : keys) {
        Claimed claimed =
            (Claimed) bed.ask(key, Bed.owner(), "f", Intent.CLAIM, Bed.LONG, Bed.LONG);
        assertThat(claimed.takenOver()).isFalse();
      }
      assertThat(bed.store.marked(keys, Bed.WITHIN)).isEmpty();
      for (String key : keys) {
        assertThat(bed.store.mark(key, Bed.LONG, Bed.WITHIN)).as(key).isTrue();
      }
      assertThat(bed.store.marked(keys, Bed.WITHIN)).containsExactlyInAnyOrderElementsOf(keys);
    }
  },
  /** Results. */
  I17("What is stored comes back, byte for byte, up to the largest") {
    @Override
    void check(Bed bed) {
      for (Outcome.Kind kind : Outcome.Kind.values()) {
        exact(new Bed(bed.store), new Outcome(kind, bytes(256)));
      }
      exact(new Bed(bed.store), new Outcome(Outcome.Kind.VALUE, new byte[0]));
      exact(bed, new Outcome(Outcome.Kind.VALUE, bytes(IdempotencyStore.MAX_RESULT)));
    }

    private byte[] bytes(int length) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) (i * 31 + (i >> 8));
      }
      return bytes;
    }

    private void exact(Bed bed, Outcome outcome) {
      ClaimId claim = bed.claim();
      assertThat(bed.store.complete(claim, outcome, Bed.LONG, Bed.WITHIN)).isTrue();
      // Not compared by AssertJ, which would print it
      assertThat(((Finished) bed.ask(Intent.CLAIM)).outcome().equals(outcome)).isTrue();
    }
  },
  /** Marks. */
  I18("Of any number of concurrent marks of a key exactly one is the first") {
    @Override
    void check(Bed bed) throws Exception {
      List<Boolean> first = together(16, () -> bed.store.mark(bed.key, Bed.LONG, Bed.WITHIN));
      assertThat(first).filteredOn(Boolean::booleanValue).hasSize(1);
      assertThat(bed.store.marked(List.of(bed.key, "x" + bed.key), Bed.WITHIN))
          .containsExactly(bed.key);
    }
  },
  /** Marks end. */
  I19("A mark ends when it was said, or is taken away") {
    @Override
    void check(Bed bed) {
      assertThat(bed.store.mark(bed.key, Duration.ofMillis(1), Bed.WITHIN)).isTrue();
      bed.await(() -> bed.store.mark(bed.key, Bed.LONG, Bed.WITHIN));
      assertThat(bed.store.mark(bed.key, Bed.LONG, Bed.WITHIN)).isFalse();
      assertThat(bed.store.unmark(bed.key, Bed.WITHIN)).isTrue();
      assertThat(bed.store.unmark(bed.key, Bed.WITHIN)).isFalse();
      assertThat(bed.store.marked(List.of(bed.key), Bed.WITHIN)).isEmpty();
      assertThat(bed.store.mark(bed.key, IdempotencyStore.FOREVER, Bed.WITHIN)).isTrue();
      assertThat(bed.store.marked(List.of(bed.key), Bed.WITHIN)).containsExactly(bed.key);
    }
  },
  /** Counts. */
  I20("A count goes up by one each time, for any number of concurrent callers") {
    @Override
    void check(Bed bed) throws Exception {
      List<Long> counts = together(16, () -> bed.store.increment(bed.key, Bed.LONG, Bed.WITHIN));
      Set<Long> all = new LinkedHashSet<>();
      for (long i = 1; i <= 16; i++) {
        all.add(i);
      }
      assertThat(counts).containsExactlyInAnyOrderElementsOf(all);
      assertThat(bed.store.mark(bed.key, Bed.LONG, Bed.WITHIN)).isFalse();
    }
  },
  /** Purging. */
  I21("A purge takes what is over, and nothing else") {
    @Override
    void check(Bed bed) {
      ClaimId running = bed.claim();
      Bed kept = new Bed(bed.store);
      assertThat(kept.complete(kept.claim(), "kept")).isTrue();
      Bed unknown = new Bed(bed.store);
      unknown.lapsed();
      assertThat(bed.store.mark(bed.key, Bed.LONG, Bed.WITHIN)).isTrue();
      for (int i = 0; i < 5; i++) {
        Bed over = new Bed(bed.store);
        assertThat(
                bed.store.complete(
                    over.claim(), Bed.value("over"), Duration.ofMillis(1), Bed.WITHIN))
            .isTrue();
        assertThat(bed.store.mark(over.key, Duration.ofMillis(1), Bed.WITHIN)).isTrue();
        bed.await(() -> over.ask(Intent.LOOK) instanceof Absent);
      }
      assertThat(bed.store.purge(2, Bed.WITHIN)).isLessThanOrEqualTo(4);
      bed.await(() -> bed.store.purge(2, Bed.WITHIN) == 0);
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Running.class);
      assertThat(kept.ask(Intent.LOOK)).isEqualTo(Bed.finished("kept"));
      assertThat(unknown.ask(Intent.LOOK)).isInstanceOf(Lapsed.class);
      assertThat(bed.store.marked(List.of(bed.key), Bed.WITHIN)).hasSize(1);
      assertThat(bed.complete(running, "done")).isTrue();
    }
  },
  /** Looking. */
  I22("To look claims nothing") {
    @Override
    void check(Bed bed) {
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Absent.class);
      assertThat(bed.ask(Intent.LOOK)).isInstanceOf(Absent.class);
      bed.claim();
    }
  };

  /** Keys that stores have mixed up, cut, or taken for something else. */
  private static final List<String> HOSTILE =
      List.of(
          "a",
          "A",
          "a ",
          " a",
          "ä",
          "a\u0308",
          "ß",
          "ss",
          "ı",
          "I",
          "'; DROP TABLE leasehold_claim; --",
          "\\",
          "\"`",
          "%",
          "_",
          "*",
          "{x}",
          "{y}",
          ":name",
          "{now}",
          "\n",
          "\u200b",
          "\ufffd",
          "\ud83d\ude00",
          "x".repeat(235),
          "x".repeat(234) + "y",
          "\ud83d\ude00".repeat(235));

  private final String promise;

  StoreRule(String promise) {
    this.promise = promise;
  }

  /** What is promised. */
  public String promise() {
    return promise;
  }

  abstract void check(Bed bed) throws Exception;

  /** Holds a store to this rule. */
  public void check(IdempotencyStore store) throws Exception {
    check(store, Bed.WITHIN);
  }

  /**
   * The same.
   *
   * @param patience how long what must come is waited for
   */
  void check(IdempotencyStore store, Duration patience) throws Exception {
    check(new Bed(store, patience));
  }

  private static <T> List<T> together(int threads, Callable<T> call) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<T> all = new ArrayList<>();
      for (Future<T> one : pool.invokeAll(java.util.Collections.nCopies(threads, call))) {
        all.add(one.get(1, TimeUnit.MINUTES));
      }
      return all;
    } finally {
      pool.shutdown();
    }
  }
}
