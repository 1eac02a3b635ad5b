package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.queued;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static io.leasehold.jdbc.Fixture.withdraw;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a process is doing when it is halted. Leases live for ten minutes, so that what is free
 * afterwards did not come free by expiry.
 */
enum CrashScenario {
  ATTEMPT_ON_A_NEW_NAME(3) {
    @Override
    void act(LeaseRowStore store) {
      attempt(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      checkGrant(store, happened, 0);
    }
  },

  ATTEMPT_ON_A_FREE_NAME(3) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      release(store, OTHER);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      checkGrant(store, happened, 1);
    }
  },

  ATTEMPT_ON_AN_EXPIRED_LEASE(3) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, ticket(2, Ticket.Intent.TRY, Duration.ofNanos(1)));
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      checkGrant(store, happened, 1);
    }
  },

  ATTEMPT_OF_A_WAITER_ON_A_FREE_NAME(4) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      busy(store, MINE);
      release(store, OTHER);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      checkGrant(store, happened, 1);
    }
  },

  BUSY_ATTEMPT_THAT_WAITS(5) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(renew(store, OTHER)).isEqualTo(new Renewal.Renewed(TTL, happened));
      assertThat(release(store, OTHER)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
    }
  },

  RENEWAL_OF_A_LEASE(4) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, MINE);
    }

    @Override
    void act(LeaseRowStore store) {
      renew(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(granted(store, MINE).number()).isEqualTo(1);
      assertThat(release(store, MINE)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
    }
  },

  RENEWAL_OF_A_WAITER(4) {
    @Override
    void prepareSecondsAgo(LeaseRowStore store) {
      granted(store, OTHER);
      queued(0, store, FAIR);
    }

    @Override
    void act(LeaseRowStore store) {
      renew(store, FAIR);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      queued(1, store, FAIR_LATER);
      assertThat(release(store, OTHER)).isEqualTo(Release.RELEASED);
      queued(1, store, FAIR_LATER);
      assertThat(granted(store, FAIR).number()).isEqualTo(2);
    }
  },

  SHARED_ATTEMPT(5) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, READING);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, SHARED);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      checkBeside(store, SHARED, happened);
      busy(store, tryOnce(NAME));
      assertThat(release(store, READING)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(happened ? 4 : 3);
    }
  },

  SHARED_ATTEMPT_OF_A_WAITER(6) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      busy(store, SHARED);
      release(store, OTHER);
      granted(store, READING);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, SHARED);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(only(store, NAME).waiters()).hasSize(happened ? 0 : 1);
      assertThat(only(store, NAME).holders()).hasSize(happened ? 2 : 1);
      assertThat(granted(store, SHARED).number()).isEqualTo(3);
      assertThat(only(store, NAME).waiters()).isEmpty();
    }
  },

  ATTEMPT_FOR_THE_LAST_PERMITS(5) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, ONE_PERMIT);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, TWO_PERMITS);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      Ticket one = Fixture.permits(1, 3, tryOnce(NAME));
      assertThat(attempt(store, one) instanceof Attempt.Granted).isEqualTo(!happened);
      release(store, one);
      checkBeside(store, TWO_PERMITS, happened);
      release(store, ONE_PERMIT);
      granted(store, Fixture.permits(3, 3, tryOnce(NAME)));
    }
  },

  RENEWAL_OF_SHARED_AND_EXCLUSIVE_LEASES(5) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, SHARED);
      granted(store, ELSEWHERE);
    }

    @Override
    void act(LeaseRowStore store) {
      renew(store, List.of(SHARED, ELSEWHERE));
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(release(store, SHARED)).isEqualTo(Release.RELEASED);
      assertThat(release(store, ELSEWHERE)).isEqualTo(Release.RELEASED);
    }
  },

  RELEASE_OF_A_SHARED_LEASE(3) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, SHARED);
    }

    @Override
    void act(LeaseRowStore store) {
      release(store, SHARED);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(attempt(store, tryOnce(NAME)) instanceof Attempt.Granted).isEqualTo(happened);
      assertThat(release(store, SHARED)).isEqualTo(happened ? Release.NOT_HELD : Release.RELEASED);
    }
  },

  FAIR_ATTEMPT_THAT_QUEUES(6) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
    }

    @Override
    void act(LeaseRowStore store) {
      attempt(store, FAIR);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      queued(happened ? 1 : 0, store, FAIR_LATER);
      queued(happened ? 0 : 1, store, FAIR);
    }
  },

  WITHDRAWAL_OF_THE_FIRST_IN_THE_QUEUE(4) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      queued(0, store, FAIR);
      queued(1, store, FAIR_LATER);
      release(store, OTHER);
    }

    @Override
    void act(LeaseRowStore store) {
      withdraw(store, FAIR);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      if (!happened) {
        queued(1, store, FAIR_LATER);
        assertThat(withdraw(store, FAIR)).isTrue();
      }
      assertThat(granted(store, FAIR_LATER).number()).isEqualTo(2);
    }
  },

  RELEASE(3) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, MINE);
    }

    @Override
    void act(LeaseRowStore store) {
      release(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(release(store, MINE)).isEqualTo(happened ? Release.NOT_HELD : Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
    }
  },

  WITHDRAWAL_OF_A_LEASE(4) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, MINE);
    }

    @Override
    void act(LeaseRowStore store) {
      withdraw(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      if (!happened) {
        assertThat(granted(store, MINE).number()).isEqualTo(1);
        assertThat(withdraw(store, MINE)).isTrue();
      }
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
    }
  },

  WITHDRAWAL_OF_A_WAITER(4) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      busy(store, MINE);
    }

    @Override
    void act(LeaseRowStore store) {
      withdraw(store, MINE);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(only(store, NAME).waiters()).hasSize(happened ? 0 : 1);
      assertThat(release(store, OTHER)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
    }
  },

  SWEEP(7) {
    @Override
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
    }

    @Override
    void prepareOnAnotherBoot(LeaseRowStore store) {
      for (int i = 0; i < 7; i++) {
        Ticket held = tryOnce("swept");
        granted(store, held);
        release(store, held);
      }
    }

    @Override
    void act(LeaseRowStore store) {
      store.sweep();
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(granted(store, tryOnce("swept")).number()).isEqualTo(8);
      assertThat(granted(store, tryOnce("new")).number()).isEqualTo(happened ? 8 : 1);
      assertThat(granted(store, OTHER).number()).isEqualTo(1);
    }
  },

  OPENING_A_NEW_FILE(20) {
    @Override
    void act(LeaseRowStore store) {
      throw new AssertionError("not to be reached");
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(granted(store, MINE).number()).isEqualTo(1);
    }
  };

  static final String NAME = "the name";
  static final Ticket MINE = ticket(1, Ticket.Intent.QUEUE, TTL);
  static final Ticket OTHER = ticket(2, Ticket.Intent.TRY, TTL);
  static final Ticket FAIR = Fixture.fair(MINE);
  static final Ticket FAIR_LATER = Fixture.fair(ticket(3, Ticket.Intent.QUEUE, TTL));
  static final Ticket SHARED = Fixture.shared(MINE);
  static final Ticket READING = Fixture.shared(ticket(5, Ticket.Intent.TRY, TTL));
  static final Ticket ONE_PERMIT = Fixture.permits(1, 3, OTHER);
  static final Ticket TWO_PERMITS = Fixture.permits(2, 3, MINE);
  static final Ticket ELSEWHERE =
      new Ticket(
          "elsewhere",
          new LeaseId(1, 4),
          LockMode.EXCLUSIVE,
          1,
          1,
          TTL,
          Ticket.Intent.TRY,
          false,
          "");

  /** How long before it happened what it needs to have happened before. */
  static final Duration EARLIER = Duration.ofSeconds(3);

  /** How many statements it takes. */
  final int statements;

  CrashScenario(int statements) {
    this.statements = statements;
  }

  private static Ticket ticket(long id, Ticket.Intent intent, Duration ttl) {
    return new Ticket(
        NAME, new LeaseId(1, id), LockMode.EXCLUSIVE, 1, 1, ttl, intent, false, "holder " + id);
  }

  /** What was there before. */
  void prepare(LeaseRowStore store) {}

  /** What happened {@link #EARLIER}. */
  void prepareSecondsAgo(LeaseRowStore store) {}

  /** What was there before the host was last booted. */
  void prepareOnAnotherBoot(LeaseRowStore store) {}

  /** What the process is doing. */
  abstract void act(LeaseRowStore store);

  /**
   * What must be true after it was halted.
   *
   * @param happened whether its change had been committed
   */
  abstract void check(LeaseRowStore store, boolean happened);

  /**
   * Prepares it and lets it happen. The clock stands still but for what must be earlier: nothing
   * lapses, however slow the machine is.
   *
   * @param snapshots of what the process is doing
   */
  void happen(Path file, ManualClock clock, Snapshots snapshots) {
    if (this == OPENING_A_NEW_FILE) {
      snapshots.begin();
      open(file, clock, snapshots).close();
      return;
    }
    try (LeaseRowStore store = Fixture.open(file, clock, "earlier", StatementHook.NONE)) {
      prepareOnAnotherBoot(store);
    }
    try (LeaseRowStore store = open(file, clock, StatementHook.NONE)) {
      prepareSecondsAgo(store);
    }
    clock.advance(EARLIER);
    try (LeaseRowStore store = open(file, clock, StatementHook.NONE)) {
      prepare(store);
    }
    clock.advance(Duration.ofMillis(1));
    try (LeaseRowStore store = open(file, clock, snapshots)) {
      // Its writing connection is opened by its first change; that is not what is looked at.
      release(store, tryOnce("nothing"));
      snapshots.begin();
      act(store);
    }
  }

  static LeaseRowStore open(Path file, ManualClock clock, StatementHook hook) {
    return Fixture.open(file, clock, "now", hook);
  }

  /** After an attempt of MINE on a name whose last number was {@code last}. */
  private static void checkGrant(LeaseRowStore store, boolean happened, long last) {
    if (happened) {
      busy(store, tryOnce(NAME));
      Attempt.Granted again = granted(store, MINE);
      assertThat(again.number()).isEqualTo(last + 1);
      assertThat(again.remaining()).isLessThan(TTL);
      assertThat(only(store, NAME).waiters()).isEmpty();
      assertThat(release(store, MINE)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(last + 2);
    } else {
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(last + 1);
    }
  }

  /** After an attempt that fits beside another. */
  private static void checkBeside(LeaseRowStore store, Ticket ticket, boolean happened) {
    assertThat(only(store, NAME).holders()).hasSize(happened ? 2 : 1);
    if (happened) {
      assertThat(granted(store, ticket).number()).as("a repeat").isEqualTo(2);
      assertThat(release(store, ticket)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, again(ticket)).number()).isEqualTo(3);
    } else {
      assertThat(release(store, ticket)).isEqualTo(Release.NOT_HELD);
      assertThat(granted(store, again(ticket)).number()).isGreaterThan(1);
    }
    assertThat(release(store, again(ticket))).isEqualTo(Release.RELEASED);
  }

  /** The same under another id. */
  private static Ticket again(Ticket t) {
    return new Ticket(
        t.name(),
        new LeaseId(1, 100 + t.id().sequence()),
        t.mode(),
        t.permits(),
        t.limit(),
        t.ttl(),
        t.intent(),
        t.fair(),
        t.holder());
  }

  /** A process that halts. */
  static final class Halting {
    private Halting() {}

    /** Takes the file, the scenario, and how many snapshots it makes. */
    public static void main(String[] args) {
      Path file = Path.of(args[0]);
      Snapshots snapshots = Snapshots.halting(file, Integer.parseInt(args[2]));
      CrashScenario.valueOf(args[1]).happen(file, new ManualClock(), snapshots);
    }
  }
}
