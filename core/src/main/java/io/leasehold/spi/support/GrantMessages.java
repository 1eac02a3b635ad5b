package io.leasehold.spi.support;

import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges the messages of a store that grants a lock to the next waiter without a new attempt: which
 * messages are valid, and from when.
 *
 * <p>A message alone proves nothing: it may arrive after its grant was taken back because the
 * waiter did not confirm it. An answer does: each answer to a waiting ticket states a mark, which
 * is lower than the number of every later grant and not lower than that of any earlier one. So a
 * number above the mark was granted after that answer. Its grant stands at least for the time in
 * which the waiter may confirm it, counted from when the request of that answer was sent. Any
 * answer to the ticket is valid for this; the last one gives the most time. Thread-safe.
 */
public final class GrantMessages {
  private final Clock clock;
  private final Map<LeaseId, Known> tickets = new ConcurrentHashMap<>();

  /** Without tickets; measures the age of grants by this clock. */
  public GrantMessages(Clock clock) {
    this.clock = clock;
  }

  /** The readings of both clocks when a request was sent. */
  public record Moment(long nanos, long wallMillis) {}

  /**
   * An answer which says that a ticket waits.
   *
   * @param sent when the request was sent
   * @param mark lower than the number of every later grant, and not lower than that of any earlier
   * @param stands how long a grant after this answer stands at least
   */
  public record Word(Moment sent, long mark, Duration stands) {}

  /** A ticket that waits. */
  private static final class Known {
    private Word word;

    /** The last reported number; 0: none since the answer. */
    private long told;

    Known(Word word) {
      this.word = word;
    }

    synchronized void waits(Word newer) {
      word = newer;
      told = told > newer.mark ? told : 0;
    }

    /** The answer by which this grant stands; null if it may have fallen back. */
    synchronized @Nullable Word heard(long number) {
      if (number <= word.mark) {
        return null;
      }
      told = number;
      return word;
    }

    synchronized long told() {
      return told;
    }
  }

  /** By whichever clock it is older: that of a host that was suspended may have stood still. */
  private record Age(Clock clock, Moment sent) implements Supplier<Duration> {
    @Override
    public Duration get() {
      long wall = TimeUnit.MILLISECONDS.toNanos(clock.wallMillis() - sent.wallMillis);
      long own = clock.nanos() - sent.nanos;
      return Duration.ofNanos(Math.max(wall, own));
    }
  }

  /** Reads both clocks. Call it before a request is sent. */
  public Moment now() {
    return new Moment(clock.nanos(), clock.wallMillis());
  }

  /**
   * Records the answer that an attempt was queued. The ticket stays known until {@link #forget}.
   */
  public void queued(LeaseId id, Word word) {
    tickets.put(id, new Known(word));
  }

  /** Records the answer that a queued ticket still waits. */
  public void waits(LeaseId id, Word word) {
    Known known = tickets.get(id);
    if (known != null) {
      known.waits(word);
    }
  }

  /** Forgets a ticket that an answer granted, or that was released or withdrawn. */
  public void forget(LeaseId id) {
    if (!tickets.isEmpty()) {
      tickets.remove(id);
    }
  }

  /**
   * Handles a message: reports the grant if it is valid, else a wake-up.
   *
   * @param run as in {@link Granted#run}
   */
  public void heard(
      LeaseId id, long number, boolean wanted, List<LeaseId> run, StoreListener listener) {
    Known known = tickets.get(id);
    Word word = known == null ? null : known.heard(number);
    if (word == null) {
      listener.wake(id);
    } else {
      Granted granted = new Granted(number, word.stands, wanted, run);
      listener.granted(id, granted, new Age(clock, word.sent));
    }
  }

  /** As {@link #told}; and forgets the ticket. */
  public long take(LeaseId id) {
    return tickets.isEmpty() ? 0 : told(tickets.remove(id));
  }

  /** The number of the grant that a renewal of this ticket confirms; 0 if no grant was reported. */
  public long told(LeaseId id) {
    return told(tickets.get(id));
  }

  private static long told(@Nullable Known known) {
    return known == null ? 0 : known.told();
  }
}
