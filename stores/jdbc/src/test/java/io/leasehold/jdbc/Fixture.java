package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** What the tests of this package share: opening stores, making tickets, asking. */
final class Fixture {
  static final Duration WITHIN = Duration.ofSeconds(10);

  /** Long, so that a test that is saved by expiry does not end. */
  static final Duration TTL = Duration.ofMinutes(10);

  private static final AtomicLong IDS = new AtomicLong(ProcessHandle.current().pid() << 32);

  private Fixture() {}

  /** A store on the clock of this host. */
  static LeaseRowStore open(Path file) {
    return open(file, StatementHook.NONE);
  }

  static LeaseRowStore open(Path file, StatementHook hook) {
    return open(file, Duration.ZERO, hook);
  }

  /**
   * A store that uses the clock of this host as it was a while ago. It numbers a new file from 1.
   */
  static LeaseRowStore open(Path file, Duration ago, StatementHook hook) {
    Clock system = new SystemClock();
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return system.nanos() - ago.toNanos();
          }

          @Override
          public long wallMillis() {
            return 0;
          }
        };
    return JdbcStoreProvider.open(file, clock, HostClock.of(clock, Path.of("/")), hook, 0);
  }

  /** A store whose host reads this clock and is on this boot. */
  static LeaseRowStore open(Path file, Clock clock, String boot, StatementHook hook) {
    return JdbcStoreProvider.open(file, clock, HostClock.of(clock, host(file, boot)), hook, 0);
  }

  /** A root with a boot id and nothing else. */
  static Path host(Path near, String boot) {
    Path root = near.resolveSibling("host-" + boot);
    Path id = root.resolve("proc/sys/kernel/random/boot_id");
    try {
      Files.createDirectories(id.getParent());
      Files.writeString(id, boot + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return root;
  }

  /** A ticket with a new id that waits if it must. */
  static Ticket queue(String name) {
    return ticket(name, Ticket.Intent.QUEUE, TTL);
  }

  /** A ticket with a new id that does not wait. */
  static Ticket tryOnce(String name) {
    return ticket(name, Ticket.Intent.TRY, TTL);
  }

  static Ticket ticket(String name, Ticket.Intent intent, Duration ttl) {
    long n = IDS.incrementAndGet();
    return new Ticket(
        name, new LeaseId(99, n), LockMode.EXCLUSIVE, 1, 1, ttl, intent, false, "holder " + n);
  }

  /** The same, shared. */
  static Ticket shared(Ticket t) {
    return of(t, LockMode.SHARED, 1, 1, t.fair());
  }

  /** The same, for some of so many permits. */
  static Ticket permits(int permits, int limit, Ticket t) {
    return of(t, LockMode.PERMITS, permits, limit, t.fair());
  }

  /** The same, fair. */
  static Ticket fair(Ticket t) {
    return of(t, t.mode(), t.permits(), t.limit(), true);
  }

  private static Ticket of(Ticket t, LockMode mode, int permits, int limit, boolean fair) {
    return new Ticket(
        t.name(), t.id(), mode, permits, limit, t.ttl(), t.intent(), fair, t.holder());
  }

  static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException failure) {
        throw failure;
      }
      throw e;
    }
  }

  static Attempt attempt(LockStore store, Ticket ticket) {
    return get(store.attempt(ticket, WITHIN));
  }

  /** Attempts, and requires a grant. */
  static Attempt.Granted granted(LockStore store, Ticket ticket) {
    Attempt answer = attempt(store, ticket);
    assertThat(answer).isInstanceOf(Attempt.Granted.class);
    return (Attempt.Granted) answer;
  }

  /** Attempts, and requires that another holds. */
  static Attempt.Busy busy(LockStore store, Ticket ticket) {
    Attempt answer = attempt(store, ticket);
    assertThat(answer).isInstanceOf(Attempt.Busy.class);
    return (Attempt.Busy) answer;
  }

  /** Attempts, and requires that it waits with so many before it. */
  static void queued(int place, LockStore store, Ticket ticket) {
    Attempt answer = attempt(store, ticket);
    assertThat(answer).isInstanceOf(Attempt.Queued.class);
    assertThat(((Attempt.Queued) answer).place()).as("place").isEqualTo(place);
  }

  static Release release(LockStore store, Ticket ticket) {
    return get(store.release(ticket, WITHIN));
  }

  static boolean withdraw(LockStore store, Ticket ticket) {
    return get(store.withdraw(ticket, WITHIN));
  }

  static Renewal renew(LockStore store, Ticket ticket) {
    return renew(store, List.of(ticket)).get(ticket.id());
  }

  /** Renews, and requires that each ticket is answered exactly once. */
  static Map<LeaseId, Renewal> renew(LockStore store, Collection<Ticket> tickets) {
    Map<LeaseId, Renewal> answers = new HashMap<>();
    store.renew(
        tickets,
        WITHIN,
        (id, answer) -> assertThat(answers.put(id, answer)).as("a second answer").isNull());
    assertThat(answers).hasSize(tickets.size());
    return answers;
  }

  static List<LockSnapshot> list(LeaseRowStore store) {
    return get(store.list(Optional.empty(), WITHIN));
  }

  static LockSnapshot only(LeaseRowStore store, String name) {
    List<LockSnapshot> found = get(store.list(Optional.of(name), WITHIN));
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  static boolean breakLease(LeaseRowStore store, String name, long number) {
    return get(store.breakLease(name, number, WITHIN));
  }

  /** How many rows a table has. */
  static long rows(Path file, String table) throws SQLException {
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
      row.next();
      return row.getLong(1);
    }
  }
}
