package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.breakLease;
import static io.leasehold.jdbc.Fixture.fair;
import static io.leasehold.jdbc.Fixture.permits;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.shared;
import static io.leasehold.jdbc.Fixture.ticket;
import static io.leasehold.jdbc.Fixture.withdraw;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file store answers as the in-memory store, the reference, does: random verbs of two clients
 * in all modes, after each of which both must list the same.
 *
 * <p>Ids that are used up are not asked for again: this store remembers them for less long. Steps
 * of the clock are longer than a quarter of any ttl, so that every renewal of a place is written.
 */
class FileStoreModelTest {
  private static final int SEEDS = 60;
  private static final int STEPS = 250;

  private final ManualClock clock = new ManualClock();
  private final io.leasehold.testkit.ManualClock reference = new io.leasehold.testkit.ManualClock();
  private final InMemoryServer server =
      new InMemoryServer(InMemorySettings.defaults(), reference, Runnable::run);

  @TempDir(factory = InMemory.class)
  Path dir;

  private List<LeaseRowStore> stores = List.of();
  private InMemoryStore model;

  @BeforeEach
  void open() {
    Path file = dir.resolve("locks.db");
    stores =
        List.of(
            Fixture.open(file, clock, "boot", StatementHook.NONE),
            Fixture.open(file, clock, "boot", StatementHook.NONE));
    model = server.connect(new DeafListener());
  }

  @AfterEach
  void close() {
    stores.forEach(LeaseRowStore::close);
    model.close();
  }

  @Test
  void itAnswersAsTheReferenceDoes() {
    Map<String, Integer> seen = new TreeMap<>();
    for (int seed = 1; seed <= SEEDS; seed++) {
      new Run(seed, seen).run();
    }
    assertThat(seen.keySet())
        .contains("Granted", "Busy", "Queued", "OtherKind")
        .contains("Renewed", "Waiting", "AttemptNow", "Gone", "broken", "again");
    assertThat(seen.values()).as("each often enough: %s", seen).allMatch(count -> count > 50);
  }

  /** One sequence of verbs, on two names of its own. */
  private final class Run {
    private final int seed;
    private final Random random;
    private final Map<String, Integer> seen;
    private final List<Ticket> known = new ArrayList<>();
    private final Map<LeaseId, Long> numbers = new HashMap<>();
    private final Map<String, Long> highest = new HashMap<>();
    private String doing = "";

    Run(int seed, Map<String, Integer> seen) {
      this.seed = seed;
      this.random = new Random(seed);
      this.seen = seen;
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        int dice = random.nextInt(100);
        if (dice < 35 || known.isEmpty()) {
          ask(newTicket());
        } else if (dice < 55) {
          ask(any());
        } else if (dice < 75) {
          renewAll();
        } else if (dice < 83) {
          Ticket ticket = any();
          doing = "release " + ticket;
          same(release(store(), ticket), Fixture.release(model, ticket));
        } else if (dice < 88) {
          Ticket ticket = any();
          doing = "withdraw " + ticket;
          same(withdraw(store(), ticket), Fixture.withdraw(model, ticket));
          known.remove(ticket);
        } else if (dice < 91) {
          breakOne();
        } else {
          pass(Duration.ofMillis(1001 + random.nextInt(1000)));
        }
        forgetUsedUp();
        same(list(Fixture.list(stores.get(step % 2))), list(server.list()));
      }
      pass(Duration.ofSeconds(4));
    }

    private LeaseRowStore store() {
      return stores.get(random.nextInt(2));
    }

    private Ticket any() {
      return known.get(random.nextInt(known.size()));
    }

    private Ticket newTicket() {
      Ticket.Intent intent = random.nextInt(3) == 0 ? Ticket.Intent.TRY : Ticket.Intent.QUEUE;
      Duration ttl = Duration.ofSeconds(random.nextBoolean() ? 2 : 4);
      Ticket plain = ticket((random.nextInt(3) == 0 ? "b" : "a") + seed, intent, ttl);
      boolean isFair = intent == Ticket.Intent.QUEUE && random.nextBoolean();
      Ticket asked = isFair ? fair(plain) : plain;
      // On one name mostly the one kind, on the other the other.
      boolean sharing = plain.name().startsWith("a") == random.nextInt(8) > 0;
      int limit = random.nextInt(12) == 0 ? 2 : 3;
      Ticket ticket =
          !sharing
              ? permits(1 + random.nextInt(limit), limit, asked)
              : random.nextInt(3) > 0 ? shared(asked) : asked;
      known.add(ticket);
      return ticket;
    }

    private void ask(Ticket ticket) {
      doing = "attempt " + ticket;
      Attempt actual = attempt(store(), ticket);
      Attempt expected = attempt(model, ticket);
      count(actual);
      if (expected instanceof Attempt.Granted wanted) {
        same(actual instanceof Attempt.Granted, true);
        Attempt.Granted granted = (Attempt.Granted) actual;
        same(granted.remaining(), wanted.remaining());
        same(granted.wanted(), wanted.wanted());
        checkNumber(ticket, granted.number());
      } else if (expected instanceof Attempt.Queued wanted && !ticket.fair()) {
        same(actual instanceof Attempt.Busy, true);
        same(((Attempt.Busy) actual).holder(), wanted.holder());
      } else {
        same(actual, expected);
      }
      // An attempt keeps a place alive as a renewal does; here in both.
      if (!(actual instanceof Attempt.Granted)) {
        same(renew(store(), ticket), renew(model, ticket));
      }
    }

    private void checkNumber(Ticket ticket, long number) {
      Long before = numbers.putIfAbsent(ticket.id(), number);
      if (before == null) {
        same(number, highest.getOrDefault(ticket.name(), 0L) + 1);
        highest.put(ticket.name(), number);
      } else {
        seen.merge("again", 1, Integer::sum);
        same(number, before);
      }
    }

    private void renewAll() {
      List<Ticket> some = known.stream().filter(t -> random.nextInt(4) > 0).toList();
      doing = "renew " + some;
      Map<LeaseId, Renewal> actual = renew(store(), some);
      actual.values().forEach(this::count);
      same(actual, renew(model, some));
    }

    private void breakOne() {
      Ticket ticket = any();
      doing = "break " + ticket;
      long number = numbers.getOrDefault(ticket.id(), 99_999L);
      boolean broken = breakLease(store(), ticket.name(), number);
      same(broken, server.breakLease(ticket.name(), modelNumber(ticket)));
      if (broken) {
        seen.merge("broken", 1, Integer::sum);
      }
    }

    private long modelNumber(Ticket ticket) {
      return server.list().stream()
          .flatMap(lock -> lock.holders().stream())
          .filter(held -> held.leaseId().equals(ticket.id().toString()))
          .map(held -> FenceNumber.number(held.fencingToken()))
          .findFirst()
          .orElse(99_999_999L);
    }

    private void pass(Duration time) {
      doing = "pass " + time;
      clock.advance(time);
      reference.advance(time);
      server.expire();
    }

    private void forgetUsedUp() {
      known.removeIf(t -> numbers.containsKey(t.id()) && !server.holds(t.name(), t.id()));
      if (known.size() > 12) {
        known.removeIf(t -> !server.holds(t.name(), t.id()) && !server.waits(t.name(), t.id()));
      }
    }

    private void count(Object answer) {
      seen.merge(answer.getClass().getSimpleName(), 1, Integer::sum);
    }

    private <T> void same(T actual, T expected) {
      assertThat(actual).as("seed %s, %s", seed, doing).isEqualTo(expected);
    }

    /** Without the numbers, which the reference counts for all names together. */
    private List<LockSnapshot> list(List<LockSnapshot> locks) {
      return locks.stream()
          .map(
              lock ->
                  new LockSnapshot(
                      lock.name(),
                      lock.holders().stream().map(this::withoutNumber).toList(),
                      lock.waiters()))
          .toList();
    }

    private LockSnapshot.Holder withoutNumber(LockSnapshot.Holder h) {
      return new LockSnapshot.Holder(
          h.leaseId(), h.holder(), h.mode(), h.permits(), 0, h.heldFor(), h.remaining());
    }
  }
}
