package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRow;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Claims and marks in the memory of this process: for tests, and for one process alone. */
final class InMemoryIdempotencyStore implements IdempotencyStore {
  private final Clock clock;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Map<String, Entry> claims = new HashMap<>();
  private final Map<String, Mark> marks = new HashMap<>();
  private long lastToken;

  /** Instants are nanoseconds of the clock. */
  private record Entry(
      String owner,
      long token,
      String fingerprint,
      boolean takenOver,
      long expires,
      long keptUntil,
      @Nullable Outcome outcome) {
    boolean is(ClaimId claim) {
      return owner.equals(claim.owner()) && token == claim.token();
    }
  }

  private record Mark(long count, long keptUntil) {}

  InMemoryIdempotencyStore(Clock clock) {
    this.clock = clock;
  }

  private <T> T locked(Supplier<T> step) {
    mutex.lock();
    try {
      return step.get();
    } finally {
      mutex.unlock();
    }
  }

  private long after(Duration life) {
    return clock.nanos() + life.toNanos();
  }

  private boolean isOver(long instant) {
    return instant - clock.nanos() <= 0;
  }

  private ClaimRow row(Entry entry) {
    long now = clock.nanos();
    return new ClaimRow(
        entry.owner(),
        entry.token(),
        entry.fingerprint(),
        entry.takenOver(),
        Math.floorDiv(entry.expires() - now, 1000L),
        Math.floorDiv(entry.keptUntil() - now, 1000L),
        entry.outcome());
  }

  @Override
  public ClaimAnswer claim(ClaimRequest request, Duration within) {
    return locked(
        () -> {
          Entry entry = claims.get(request.key());
          Optional<ClaimRow> row = Optional.ofNullable(entry).map(this::row);
          Optional<ClaimAnswer> told =
              row.isPresent() ? row.get().answer(request) : ClaimRow.absent(request);
          return told.orElseGet(
              () -> claimed(request, row.isPresent() && row.get().isTakenOverBy(request)));
        });
  }

  private ClaimAnswer claimed(ClaimRequest request, boolean takenOver) {
    lastToken++;
    claims.put(
        request.key(),
        new Entry(
            request.owner(),
            lastToken,
            request.fingerprint(),
            takenOver,
            after(request.life()),
            after(request.life()) + request.keep().toNanos(),
            null));
    return new ClaimAnswer.Claimed(lastToken, takenOver);
  }

  @Override
  public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
    return locked(
        () -> {
          Entry entry = claims.get(claim.key());
          if (entry == null
              || !entry.is(claim)
              || entry.outcome() != null
              || isOver(entry.expires())) {
            return false;
          }
          claims.put(
              claim.key(),
              new Entry(
                  entry.owner(),
                  entry.token(),
                  entry.fingerprint(),
                  entry.takenOver(),
                  after(life),
                  after(life) + keep.toNanos(),
                  null));
          return true;
        });
  }

  @Override
  public boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within) {
    return locked(
        () -> {
          Entry entry = claims.get(claim.key());
          if (entry == null || !entry.is(claim)) {
            return false;
          }
          if (entry.outcome() == null) {
            claims.put(
                claim.key(),
                new Entry(
                    entry.owner(),
                    entry.token(),
                    entry.fingerprint(),
                    entry.takenOver(),
                    clock.nanos(),
                    after(keep),
                    outcome));
          }
          return true;
        });
  }

  @Override
  public boolean release(String key, String owner, boolean evenTakenOver, Duration within) {
    return locked(
        () -> {
          Entry entry = claims.get(key);
          return entry != null
              && entry.owner().equals(owner)
              && entry.outcome() == null
              && (evenTakenOver || !entry.takenOver())
              && claims.remove(key, entry);
        });
  }

  @Override
  public boolean forget(String key, Duration within) {
    return locked(() -> claims.remove(key) != null);
  }

  private @Nullable Mark live(String key) {
    Mark mark = marks.get(key);
    return mark == null || isOver(mark.keptUntil()) ? null : mark;
  }

  @Override
  public boolean mark(String key, Duration keep, Duration within) {
    return locked(
        () -> {
          if (live(key) != null) {
            return false;
          }
          marks.put(key, new Mark(1, after(keep)));
          return true;
        });
  }

  @Override
  public long increment(String key, Duration keep, Duration within) {
    return locked(
        () -> {
          Mark mark = live(key);
          Mark next =
              mark == null
                  ? new Mark(1, after(keep))
                  : new Mark(mark.count() + 1, mark.keptUntil());
          marks.put(key, next);
          return next.count();
        });
  }

  @Override
  public boolean unmark(String key, Duration within) {
    return locked(
        () -> {
          boolean was = live(key) != null;
          marks.remove(key);
          return was;
        });
  }

  @Override
  public Set<String> marked(List<String> keys, Duration within) {
    return locked(() -> keys.stream().filter(key -> live(key) != null).collect(Collectors.toSet()));
  }

  @Override
  public int purge(int most, Duration within) {
    return locked(
        () ->
            remove(claims, entry -> isOver(entry.keptUntil()) && isOver(entry.expires()), most)
                + remove(marks, mark -> isOver(mark.keptUntil()), most));
  }

  private static <V> int remove(Map<String, V> from, Predicate<V> which, int most) {
    int removed = 0;
    Iterator<V> all = from.values().iterator();
    while (removed < most && all.hasNext()) {
      if (which.test(all.next())) {
        all.remove();
        removed++;
      }
    }
    return removed;
  }

  @Override
  public void close() {}
}
