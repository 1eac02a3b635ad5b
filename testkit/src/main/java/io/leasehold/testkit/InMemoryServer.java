package io.leasehold.testkit;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;

/**
 * A lock server inside this Java virtual machine: what several clients share. For tests, without a
 * store to install:
 *
 * <pre>{@code
 * InMemoryServer server = new InMemoryServer();
 * try (LockClient one = Leasehold.builder(server).build();
 *     LockClient two = Leasehold.builder(server).build()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>It is the reference for what a store must do, and can resemble weaker ones: see {@link
 * InMemorySettings}. Thread-safe. What has expired is noticed when it is next asked about, or at
 * {@link #expire()}.
 */
public final class InMemoryServer implements StoreFactory {
  /** Held by the thread that takes the mutexes of several. */
  private static final ReentrantLock TOGETHER = new ReentrantLock();

  private final InMemorySettings settings;
  private final Clock clock;
  private final Executor signals;
  private final LockTable table;
  private final Connections connections = new Connections();
  private final ReentrantLock mutex = new ReentrantLock();

  /** A server that can do everything, on the clock of the Java virtual machine. */
  public InMemoryServer() {
    this(InMemorySettings.defaults());
  }

  /** A server that resembles this store, on the clock of the Java virtual machine. */
  public InMemoryServer(InMemorySettings settings) {
    this(settings, new SystemClock(), new Threads()::callback);
  }

  /**
   * A server.
   *
   * @param clock decides when leases expire
   * @param signals runs the calls to the clients' listeners
   */
  public InMemoryServer(InMemorySettings settings, Clock clock, Executor signals) {
    this(settings, clock, signals, new LockTable(settings));
  }

  InMemoryServer(InMemorySettings settings, Clock clock, Executor signals, LockTable table) {
    this.settings = settings;
    this.clock = clock;
    this.signals = signals;
    this.table = table;
  }

  @Override
  public LockStore open(StoreListener listener) {
    return connect(listener);
  }

  /** As {@link #open}, with the type that it has. */
  public InMemoryStore connect(StoreListener listener) {
    InMemoryStore store = new InMemoryStore(this);
    mutex.lock();
    try {
      connections.add(store, listener);
    } finally {
      mutex.unlock();
    }
    return store;
  }

  /** Removes what has expired by now, and wakes who waits for it. */
  public void expire() {
    apply(table::names);
  }

  /**
   * How long until the next lease, or place of a waiter, expires unless renewed. Empty if there is
   * none.
   */
  public Optional<Duration> untilNextExpiry() {
    long nanos = apply(table::nanosUntilExpiry);
    return nanos == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
  }

  /** Whether this id holds this name now. */
  public boolean holds(String name, LeaseId id) {
    return apply(now -> table.holds(name, id, now));
  }

  /** Whether this id waits for this name now, with its place kept. */
  public boolean waits(String name, LeaseId id) {
    return apply(now -> table.waits(name, id, now));
  }

  /** How long this id keeps its place unless it asks again; zero if it does not wait. */
  public Duration placeLeft(String name, LeaseId id) {
    return Duration.ofNanos(apply(now -> table.placeLeft(name, id, now)));
  }

  /**
   * Removes the lease with this fence number, and only that.
   *
   * @return whether it was the current one
   */
  public boolean breakLease(String name, long number) {
    return apply(now -> table.breakLease(name, number, now));
  }

  /**
   * Ends the sessions of the client that made these lease ids, as if its connection had been
   * silent.
   */
  public void endSessions(long client) {
    apply(
        now -> {
          table.endSessions(client, now);
          return true;
        });
  }

  /**
   * From now on no lease lives longer than this without renewal, whatever ttl is asked for: as if
   * an operator had lowered a limit. Each answer says what is left.
   */
  public void limitLife(Duration longest) {
    apply(
        now -> {
          table.limitLife(longest, now);
          return true;
        });
  }

  /** Forgets who watches, as a restart does, and tells every client that it is connected again. */
  public void restart() {
    List<StoreListener> told;
    mutex.lock();
    try {
      connections.forgetWatches();
      told = connections.all();
    } finally {
      mutex.unlock();
    }
    told.forEach(listener -> signals.execute(listener::reconnected));
  }

  /** As {@link #restart}, without its data but for the last fence number. */
  public void restartEmpty() {
    restartEmpty(List.of(this));
  }

  /**
   * As {@link #restartEmpty()}, for several servers at one instant: no request finds some of them
   * with their data and others without. One after another they are different faults, after which
   * the members of a quorum may have granted what the next of these restarts takes.
   */
  public static void restartEmpty(List<InMemoryServer> servers) {
    TOGETHER.lock();
    servers.forEach(server -> server.mutex.lock());
    try {
      servers.forEach(server -> server.table.clear());
    } finally {
      servers.forEach(server -> server.mutex.unlock());
      TOGETHER.unlock();
    }
    servers.forEach(InMemoryServer::restart);
  }

  /** What is held and waited for, ordered by name. */
  public List<LockSnapshot> list() {
    return apply(
        now -> {
          List<LockSnapshot> found = new ArrayList<>();
          new TreeMap<>(table.names(now)).forEach((n, state) -> found.add(state.snapshot(n, now)));
          return found;
        });
  }

  InMemorySettings settings() {
    return settings;
  }

  LockTable table() {
    return table;
  }

  /** Registers whom to wake for this ticket, and looks whether it must wait. */
  Watch watch(Ticket ticket, InMemoryStore store) {
    return apply(
        now -> {
          if (!table.isBuried(ticket.id())) {
            connections.watch(ticket.id(), store);
          }
          return table.mustWait(ticket, now) ? Watch.NOTHING_MISSED : Watch.ATTEMPT_AGAIN;
        });
  }

  /** As {@link LockTable#attempt}, with the watch. */
  Attempt watchedAttempt(Ticket ticket, InMemoryStore store, long now) {
    Attempt answer = table.attempt(ticket, now);
    if (!(answer instanceof Attempt.Queued queued)) {
      return answer;
    }
    connections.watch(ticket.id(), store);
    return queued.asWatched();
  }

  void disconnect(InMemoryStore store) {
    mutex.lock();
    try {
      connections.remove(store);
    } finally {
      mutex.unlock();
    }
  }

  /** What a ticket is asked for at one instant. */
  interface Verb<T> {
    T apply(LockTable table, Ticket ticket, long now);
  }

  /** Does what a ticket is asked for, then reports what it brought about. */
  <T> T apply(Ticket ticket, InMemoryStore store, Verb<T> verb) {
    T result;
    List<Runnable> calls;
    mutex.lock();
    try {
      long now = clock.nanos();
      connections.heardOf(ticket.id().client(), store);
      result = verb.apply(table, ticket, now);
      if (connections.isAnyWatched() && !table.waits(ticket.name(), ticket.id(), now)) {
        connections.unwatch(ticket.id());
      }
      calls = connections.calls(table.takeReports(), clock);
    } finally {
      mutex.unlock();
    }
    send(calls);
    return result;
  }

  private <T> T apply(LongFunction<T> step) {
    T result;
    List<Runnable> calls;
    mutex.lock();
    try {
      result = step.apply(clock.nanos());
      calls = connections.calls(table.takeReports(), clock);
    } finally {
      mutex.unlock();
    }
    send(calls);
    return result;
  }

  /** Runs the second step of a request. */
  void later(Runnable step) {
    signals.execute(step);
  }

  private void send(List<Runnable> calls) {
    if (!calls.isEmpty()) {
      calls.forEach(signals::execute);
    }
  }
}
