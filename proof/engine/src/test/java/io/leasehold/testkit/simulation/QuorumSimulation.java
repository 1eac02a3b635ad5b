package io.leasehold.testkit.simulation;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.quorum.QuorumStore;
import io.leasehold.internal.quorum.QuorumStore.Seat;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Clients of a quorum in virtual time, whose members are down, silent, restarted, ahead of the
 * others, and have clocks that are stepped: all decided by one seed. Tokens rise, and as long as no
 * clock is stepped there is one holder. Once all members are well again, nothing is left of what
 * was released or withdrawn.
 */
final class QuorumSimulation {
  private static final Duration WITHIN = Duration.ofSeconds(1);
  private static final long TROUBLE_ENDS = 15 * Plan.SECOND;

  /** By then what lives shorter has expired, and all withdrawals were repeated. */
  private static final long ENDS = TROUBLE_ENDS + 60 * Plan.SECOND;

  /** What is left of these does not go by itself. */
  private static final Duration LASTING = Duration.ofMinutes(10);

  final Timeline time = new Timeline();
  private final Dice dice;
  private final boolean clocksAreStepped;
  private final List<Member> members = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();

  /** The largest token that any client was given. */
  private long largest;

  private int grants;
  private String violation = "";

  /**
   * How it ended.
   *
   * @param violation what was broken; empty if nothing was
   * @param grants how many there were
   */
  record Result(long seed, String violation, int grants) {}

  private QuorumSimulation(long seed) {
    dice = new Dice(seed * 0x9E3779B97F4A7C15L + 7);
    clocksAreStepped = dice.chance(0.3);
    for (int i = dice.chance(0.7) ? 3 : 5; i > 0; i--) {
      members.add(new Member(dice.split()));
    }
    for (int i = dice.between(2, 4); i > 0; i--) {
      clients.add(new Client(i, dice.split()));
    }
  }

  /** Runs one seed. */
  static Result run(long seed) {
    QuorumSimulation simulation = new QuorumSimulation(seed);
    simulation.members.forEach(Member::trouble);
    simulation.clients.forEach(Client::begin);
    while (simulation.violation.isEmpty() && simulation.time.step(ENDS)) {}
    simulation.judgeWhatIsLeft();
    return new Result(seed, simulation.violation, simulation.grants);
  }

  private boolean isEnding() {
    return time.now() >= TROUBLE_ENDS;
  }

  private void judgeWhatIsLeft() {
    for (Member member : members) {
      List<LockSnapshot> left = member.server.list();
      if (violation.isEmpty() && !left.isEmpty()) {
        violation = "left behind: " + left;
      }
    }
  }

  /** A clock that runs a little faster or slower than true time. */
  abstract class OwnClock implements Clock {
    private final long ratePpm;
    private final long wall;
    long stepped;

    OwnClock(Dice dice) {
      ratePpm = dice.between(-4_900L, 4_900L);
      wall = 1_790_000_000_000L + dice.between(-5_000_000L, 5_000_000L);
    }

    @Override
    public long nanos() {
      return time.now() + time.now() / 1_000_000 * ratePpm + stepped;
    }

    @Override
    public long wallMillis() {
      return wall + nanos() / 1_000_000;
    }
  }

  /** A server, and what is wrong with it. */
  final class Member extends OwnClock {
    final InMemoryServer server;
    boolean isDown;
    double loss;
    private final Dice dice;
    private int strangers;

    Member(Dice dice) {
      super(dice);
      this.dice = dice;
      Set<Feature> features = EnumSet.of(Feature.FENCING, Feature.SURVIVES_RESTART, Feature.QUEUE);
      if (dice.chance(0.5)) {
        features.add(Feature.DIRECT_GRANT);
      }
      if (dice.chance(0.5)) {
        features.add(Feature.TOMBSTONES);
      }
      InMemorySettings settings =
          InMemorySettings.defaults().withFeatures(features.toArray(Feature[]::new));
      server = new InMemoryServer(settings, this, Runnable::run);
    }

    /** Something befalls it, and later something else. */
    void trouble() {
      isDown = false;
      loss = 0;
      if (isEnding()) {
        return;
      }
      switch (dice.between(0, 5)) {
        case 0 -> isDown = true;
        case 1 -> loss = dice.chance(0.5) ? 1 : 0.3;
        case 2 -> server.restart();
        case 3 -> getAhead(wallMillis() * 1000 + dice.spread(1, 1_000_000_000));
        case 4 ->
            stepped += clocksAreStepped ? dice.between(-10 * Plan.SECOND, 10 * Plan.SECOND) : 0;
        default -> loss = 0.05;
      }
      time.in(dice.spread(Plan.SECOND / 50, 2 * Plan.SECOND), this::trouble);
    }

    private void getAhead(long number) {
      LeaseId id = new LeaseId(4711, ++strangers);
      LockStore store = server.connect(new DeafListener());
      Ticket stranger = ticket("other", id, Duration.ofSeconds(1), Ticket.Intent.TRY);
      store.attempt(stranger.withLeastNumber(number), WITHIN);
      store.release(stranger, WITHIN);
      store.close();
    }
  }

  private static Ticket ticket(String name, LeaseId id, Duration ttl, Ticket.Intent intent) {
    return new Ticket(name, id, LockMode.EXCLUSIVE, 1, 1, ttl, intent, false, "a client");
  }

  /** Takes and releases one lock again and again. */
  private final class Client extends OwnClock {
    private final long number;
    private final Dice dice;
    private final LockStore store;
    private long sequence;

    /** Until when it believes to hold, by its clock. */
    private long until = Long.MIN_VALUE;

    Client(long number, Dice dice) {
      super(dice);
      this.number = number;
      this.dice = dice;
      List<Seat> seats = new ArrayList<>();
      for (Member member : members) {
        seats.add(
            new Seat(
                "member " + (seats.size() + 1),
                listener -> new QuorumMemberLink(QuorumSimulation.this, member, dice.split())));
      }
      Dice chance = dice.split();
      store =
          QuorumStore.open(
              this,
              () -> new TimelineThreads(time),
              () -> chance.between(0, 999) / 1000.0,
              seats,
              new DeafListener());
    }

    boolean holds() {
      return nanos() < until;
    }

    void begin() {
      if (isEnding()) {
        return;
      }
      Duration ttl =
          dice.chance(0.3)
              ? LASTING
              : Duration.ofNanos(dice.spread(Plan.SECOND / 5, 10 * Plan.SECOND));
      Ticket.Intent intent = dice.chance(0.5) ? Ticket.Intent.TRY : Ticket.Intent.QUEUE;
      ask(ticket("a", new LeaseId(number, ++sequence), ttl, intent), dice.between(1, 8));
    }

    private void ask(Ticket ticket, int times) {
      long sent = nanos();
      long before = largest;
      store
          .attempt(ticket, WITHIN)
          .whenComplete((answer, failed) -> answered(ticket, times, sent, before, answer));
    }

    private void answered(Ticket ticket, int times, long sent, long before, Attempt answer) {
      if (answer instanceof Granted granted) {
        until = end(sent, granted.remaining());
        if (holds()) {
          granted(granted.number(), before);
        }
        hold(ticket, dice.between(0, 3));
      } else if (times > 1) {
        // The same id again: it waits, or asks what became of an unknown outcome
        in(dice.spread(1_000_000, Plan.SECOND / 10), () -> ask(ticket, times - 1));
      } else {
        store.withdraw(ticket, WITHIN);
        in(dice.spread(1_000_000, Plan.SECOND / 10), this::begin);
      }
    }

    private void granted(long token, long before) {
      grants++;
      if (token <= before) {
        violation =
            "token " + token + " is not above " + before + ", known before it was asked for";
      }
      if (!clocksAreStepped) {
        if (token <= largest) {
          violation = "token " + token + " is not above " + largest;
        }
        if (clients.stream().anyMatch(other -> other != this && other.holds())) {
          violation = "two holders at " + time.now();
        }
      }
      largest = Math.max(largest, token);
    }

    private long end(long sent, Duration remaining) {
      return sent + remaining.toNanos() / 100 * 99 - 2_000_000;
    }

    private void hold(Ticket ticket, int renewals) {
      in(
          dice.spread(100_000, Math.min(5 * Plan.SECOND, ticket.ttl().toNanos() / 2)),
          () -> {
            if (renewals == 0 || !holds()) {
              if (ticket.ttl().equals(LASTING) || dice.chance(0.9)) {
                until = Long.MIN_VALUE;
                store.release(ticket, WITHIN);
              }
              // Or it forgets it, as one that crashed
              in(dice.spread(100_000, Plan.SECOND / 10), this::begin);
              return;
            }
            long sent = nanos();
            store.renew(
                List.of(ticket),
                WITHIN,
                (id, answer) -> {
                  boolean isCurrent = ticket.id().sequence() == sequence && holds();
                  if (answer instanceof Renewed renewed && isCurrent) {
                    until = Math.max(until, end(sent, renewed.remaining()));
                  }
                });
            hold(ticket, renewals - 1);
          });
    }

    private void in(long nanos, Runnable task) {
      time.in(nanos, task);
    }
  }
}
