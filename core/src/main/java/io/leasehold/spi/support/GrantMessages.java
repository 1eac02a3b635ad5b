package io.leasehold.spi.support;

import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * For stores that grant to whoever is next by themselves, and tell it by a message: which messages
 * count, and from when.
 *
 * <p>A message may come late, when its grant has long fallen back to the queue because nobody
 * confirmed it, so it proves nothing by itself. An answer does: each that a ticket waits states a
 * mark, below which are all numbers that were given before it, and above which all are that come
 * later. A number above the mark was therefore granted after that answer, and stands at least for
 * the time after which it may fall back, counted from the sending of the request that was answered.
 * Any of a ticket's answers will do; the last gives the most. Thread-safe.
 */
public final class GrantMessages {
  private final Clock clock;
  private final Map<LeaseId, Known> tickets = new ConcurrentHashMap<>();

  /** On this clock. */
  public GrantMessages(Clock clock) {
    this.clock = clock;
  }

  /** When a request is sent. */
  public record Moment(long nanos, long wallMillis) {}

  /**
   * An answer that a ticket waits.
   *
   * @param sent when its request was sent
   * @param mark lower than the number of every later grant, and not lower than that of any earlier
   * @param stands for how long a grant that comes after it stands at least
   */
  public record Word(Moment sent, long mark, Duration stands) {}

  /** The number it was told of last; 0: none since the word. */
  private record Known(Word word, long told) {}

  /** To be asked before a request is sent. */
  public Moment now() {
    return new Moment(clock.nanos(), clock.wallMillis());
  }

  /** An attempt was answered: the ticket is queued. Remembered until it is forgotten. */
  public void queued(LeaseId id, Word word) {
    tickets.put(id, new Known(word, 0));
  }

  /** A ticket that is queued still waits. */
  public void waits(LeaseId id, Word word) {
    tickets.computeIfPresent(
        id, (same, known) -> new Known(word, known.told > word.mark ? known.told : 0));
  }

  /** The ticket is granted by an answer, released or withdrawn. */
  public void forget(LeaseId id) {
    if (!tickets.isEmpty()) {
      tickets.remove(id);
    }
  }

  /** Takes a message: tells of the grant if it counts, and else that it may be worth asking. */
  public void heard(LeaseId id, long number, boolean wanted, StoreListener listener) {
    Known known =
        tickets.computeIfPresent(
            id, (same, was) -> number > was.word.mark ? new Known(was.word, number) : was);
    if (known == null || number <= known.word.mark) {
      listener.wake(id);
    } else {
      Word word = known.word;
      listener.granted(id, new Granted(number, word.stands, wanted), age(word.sent));
    }
  }

  /** By whichever clock it is older: that of a host that was suspended may have stood still. */
  private Supplier<Duration> age(Moment sent) {
    return () -> {
      Duration wall = Duration.ofMillis(clock.wallMillis() - sent.wallMillis);
      Duration own = Duration.ofNanos(clock.nanos() - sent.nanos);
      return wall.compareTo(own) > 0 ? wall : own;
    };
  }

  /** The number of the grant that a renewal of this ticket confirms; 0 if it was told of none. */
  public long told(LeaseId id) {
    Known known = tickets.get(id);
    return known == null ? 0 : known.told;
  }
}
