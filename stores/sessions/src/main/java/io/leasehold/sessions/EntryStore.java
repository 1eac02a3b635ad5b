package io.leasehold.sessions;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.LockMode;
import io.leasehold.Trait;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * A connection to a store that has sessions. Its methods behave as those of {@link Session}.
 * Thread-safe.
 */
public interface EntryStore extends EntryList, AutoCloseable {
  /** What the lock store declares: see {@link #traits(String, Set, Limits, Trait...)}. */
  Traits traits();

  /**
   * Opens a session.
   *
   * @param ended runs when the store has ended the session, which this client did not ask for; if a
   *     request finds that out, before it fails. It does not block
   */
  CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within);

  /** How many names it reads in one request. */
  default int mostTogether() {
    return 50;
  }

  /** How much time may pass between two beats of a session. */
  default Duration beatEvery(Duration ttl) {
    return ttl.dividedBy(3);
  }

  /** As {@link io.leasehold.spi.LockStore#diagnose}. */
  CompletionStage<List<Finding>> diagnose(Duration within);

  /** Ends the sessions, the connection and the threads, in bounded time. Idempotent. */
  @Override
  void close();

  /**
   * The ttls that a store takes.
   *
   * @param shortest the shortest
   * @param longest the longest
   * @param step it takes multiples of this
   * @param yieldPercent see {@link Traits.Life}
   * @param crashExtra see {@link Traits.Life}
   */
  record Limits(
      Duration shortest,
      Duration longest,
      Duration step,
      int yieldPercent,
      UnaryOperator<Duration> crashExtra) {}

  /**
   * The traits of the lock over a store of this kind.
   *
   * @param more those that do not come from the order of the entries
   */
  static Traits traits(String store, Set<LockMode> modes, Limits limits, Trait... more) {
    Set<Trait> has = EnumSet.of(Trait.FENCING, Trait.FIFO);
    has.addAll(List.of(more));
    return new Traits(
        store,
        has,
        modes,
        limits.shortest,
        limits.longest,
        limits.step,
        new Traits.Poll(Duration.ofSeconds(1), Duration.ofSeconds(1), Traits.Signals.SENT),
        new Traits.Life(Traits.Ends.SESSION, limits.yieldPercent, limits.crashExtra),
        Traits.Wanted.ON_RENEWAL,
        Traits.Calls.NON_BLOCKING);
  }

  /** What the number of servers that vote on each change means. */
  static Finding quorum(String check, long servers) {
    long spared = (servers - 1) / 2;
    return spared > 0
        ? new Finding(Level.OK, check, servers + ", of which " + spared + " may be down")
        : new Finding(
            Level.WARNING,
            check,
            servers + ": while one is down no lock can be taken or kept; run three or five");
  }
}
