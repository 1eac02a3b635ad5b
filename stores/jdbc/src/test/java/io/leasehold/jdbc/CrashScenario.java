package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
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
    void prepare(LeaseRowStore store) {
      granted(store, OTHER);
      busy(store, LAPSING);
    }

    @Override
    void act(LeaseRowStore store) {
      renew(store, LAPSING);
    }

    @Override
    void check(LeaseRowStore store, boolean happened) {
      assertThat(renew(store, OTHER)).isEqualTo(new Renewal.Renewed(TTL, false));
      assertThat(release(store, OTHER)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce(NAME)).number()).isEqualTo(2);
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

  SWEEP(6) {
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

  OPENING_A_NEW_FILE(18) {
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
  static final Ticket LAPSING = ticket(1, Ticket.Intent.QUEUE, Duration.ofNanos(1));
  static final Ticket OTHER = ticket(2, Ticket.Intent.TRY, TTL);

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

  /** The process: halts before or after a statement. */
  static final class Halting {
    private Halting() {}

    /** Takes the file, the scenario, which statement, and before or after. */
    public static void main(String[] args) {
      CrashScenario scenario = CrashScenario.valueOf(args[1]);
      int stop = Integer.parseInt(args[2]);
      boolean before = args[3].equals("before");
      Halt halt = new Halt(stop, before);
      if (scenario == OPENING_A_NEW_FILE) {
        halt.arm();
      }
      LeaseRowStore store = Fixture.open(Path.of(args[0]), halt);
      // Its writing connection is opened by its first change; that is not what is looked at.
      store.release(tryOnce("nothing"), TTL);
      halt.arm();
      scenario.act(store);
    }
  }

  private static final class Halt implements StatementHook {
    static final int STATUS = 7;

    private final int stop;
    private final boolean before;
    private boolean armed;
    private int count;

    Halt(int stop, boolean before) {
      this.stop = stop;
      this.before = before;
    }

    void arm() {
      armed = true;
    }

    @Override
    public void before(String sql) {
      if (armed && ++count == stop && before) {
        Runtime.getRuntime().halt(STATUS);
      }
    }

    @Override
    public void after(String sql) {
      if (armed && count == stop && !before) {
        Runtime.getRuntime().halt(STATUS);
      }
    }
  }
}
