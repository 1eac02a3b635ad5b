package io.leasehold.internal.quorum;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases in several independent stores, of which a majority decides: Redlock, over stores of any
 * kind. Members are asked at the same time, on separate threads if they block. Thread-safe.
 */
public final class QuorumStore implements LockStore {
  private static final Traits.Poll POLL =
      new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE);

  /** A member that forgets at a restart does not vote for so long after it. */
  static final Duration LONGEST_TTL = Duration.ofMinutes(15);

  private static final long LAST_REQUESTS_NANOS = 1_000_000_000;
  private static final Duration CLOSING = Duration.ofSeconds(5);

  final Clock clock;

  /** Runs what waits for its time; requests run on the threads of their member. */
  final Scheduler threads;

  /** From 0 to 1. */
  final DoubleSupplier random;

  final List<QuorumMember> members;

  /** How many of them are a majority. */
  final int quorum;

  final QuorumHedge hedge;

  private final QuorumElection election;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Traits traits;

  /** A member to be. */
  public record Seat(String name, StoreFactory factory) {}

  private QuorumStore(
      Clock clock,
      Supplier<Scheduler> threads,
      DoubleSupplier random,
      List<Seat> seats,
      StoreListener listener) {
    this.clock = clock;
    this.threads = threads.get();
    this.random = random;
    this.members =
        seats.stream()
            .map(seat -> new QuorumMember(seat.name, seat.factory, clock, threads.get(), listener))
            .toList();
    this.quorum = seats.size() / 2 + 1;
    this.hedge = new QuorumHedge(this);
    this.election = new QuorumElection(this);
    try {
      new QuorumOpening(this, listener).run();
      this.traits = traits(members);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    members.forEach(member -> member.mustFit(this::isNoWider));
  }

  /**
   * Opens all members at once.
   *
   * @throws StoreException if a majority cannot be opened
   */
  public static LockStore open(
      Clock clock,
      Supplier<Scheduler> threads,
      DoubleSupplier random,
      List<Seat> seats,
      StoreListener listener) {
    return new QuorumStore(clock, threads, random, seats, listener);
  }

  // ---- traits

  private static Traits traits(List<QuorumMember> members) {
    List<Traits> all = new ArrayList<>();
    for (QuorumMember member : members) {
      Traits open = member.traits();
      if (open != null) {
        all.add(open);
      }
    }
    // Three clients could each have one of two permits with two of three members
    Set<LockMode> modes = EnumSet.of(LockMode.EXCLUSIVE, LockMode.SHARED);
    all.forEach(member -> modes.retainAll(member.modes()));
    Set<Trait> has = EnumSet.noneOf(Trait.class);
    if (all.stream().allMatch(t -> t.has().contains(Trait.SURVIVES_RESTART))) {
      has.add(Trait.SURVIVES_RESTART);
    }
    if (all.stream().allMatch(QuorumStore::keepsNumbers)) {
      has.add(Trait.FENCING);
    }
    boolean sessions = all.stream().anyMatch(t -> t.life().ends() == Traits.Ends.SESSION);
    Traits made =
        new Traits(
            "quorum",
            has,
            modes,
            most(all, Traits::minTtl),
            Stream.concat(Stream.of(LONGEST_TTL), all.stream().map(Traits::maxTtl))
                .min(Comparator.naturalOrder())
                .orElseThrow(),
            most(all, Traits::ttlStep),
            POLL,
            new Traits.Life(
                sessions ? Traits.Ends.SESSION : Traits.Ends.TTL,
                all.stream().mapToInt(t -> t.life().yieldPercent()).min().orElseThrow(),
                ttl -> most(all, member -> member.life().crashExtra().apply(ttl))),
            Traits.Wanted.ON_RENEWAL,
            Traits.Calls.NON_BLOCKING);
    if (made.minTtl().compareTo(made.maxTtl()) > 0) {
      throw new StoreException(
          Failure.REFUSED, "no ttl is within the limits of all members of the quorum", null);
    }
    return made;
  }

  /** Whether it takes the number that a ticket asks for, and never forgets one. */
  static boolean keepsNumbers(Traits member) {
    return member.numbers() == Traits.Numbers.ASKED_FOR
        && member.has().containsAll(Set.of(Trait.FENCING, Trait.SURVIVES_RESTART));
  }

  /** Whether grants have tokens. */
  boolean isFenced() {
    return traits.has().contains(Trait.FENCING);
  }

  private static Duration most(List<Traits> all, Function<Traits, Duration> what) {
    return all.stream().map(what).max(Comparator.naturalOrder()).orElseThrow();
  }

  /** Whether a member that opens late can do all that this store has declared. */
  private boolean isNoWider(Traits late) {
    return late.modes().containsAll(traits.modes())
        && (!isFenced() || keepsNumbers(late))
        && late.has().containsAll(traits.has())
        && late.minTtl().compareTo(traits.minTtl()) <= 0
        && late.maxTtl().compareTo(traits.maxTtl()) >= 0
        && late.ttlStep().compareTo(traits.ttlStep()) <= 0
        && late.life().yieldPercent() >= traits.life().yieldPercent()
        && (late.life().ends() == Traits.Ends.TTL || traits.life().ends() == late.life().ends());
  }

  @Override
  public Traits traits() {
    return traits;
  }

  // ---- for the votes

  /**
   * How long a majority certainly holds, by what at least a majority says (or all that is known):
   * until the first of the longest lives ends. The members' clocks never meet, so the engine's
   * allowance for drift, which is between this client's clock and that of one server, is enough.
   */
  Duration majorityOf(List<Duration> lives) {
    List<Duration> longestFirst = new ArrayList<>(lives);
    longestFirst.sort(Comparator.reverseOrder());
    return longestFirst.get(Math.min(quorum, lives.size()) - 1);
  }

  /** That no majority answered, and what is known of the effect. */
  StoreException failure(List<StoreException> failures) {
    Failure kind = Failure.UNAVAILABLE;
    if (failures.stream().anyMatch(f -> f.failure() == Failure.UNKNOWN_OUTCOME)) {
      kind = Failure.UNKNOWN_OUTCOME;
    } else if (failures.stream().filter(f -> f.failure() == Failure.REFUSED).count() >= quorum) {
      kind = Failure.REFUSED;
    } else if (failures.stream().allMatch(f -> f.failure() == Failure.BUSY)) {
      kind = Failure.BUSY;
    }
    String failed = failures.size() + " of " + members.size() + " members failed";
    StoreException first = failures.isEmpty() ? null : failures.get(0);
    return new StoreException(kind, "no majority: " + failed + reasons(failures), first);
  }

  /** Each once: which members have to be looked at. */
  private static String reasons(List<StoreException> failures) {
    Set<String> reasons = new LinkedHashSet<>();
    failures.forEach(failure -> reasons.add("; " + failure.getMessage()));
    return String.join("", reasons);
  }

  // ---- verbs

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return election.attempt(ticket, within);
  }

  /** Final once so many members are that no majority can be left; the rest goes on. */
  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    election.useUp(ticket.id());
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    AtomicInteger open = new AtomicInteger(members.size() - quorum + 1);
    for (QuorumMember member : members) {
      CompletableFuture<?> unused =
          member
              .end(ticket)
              .thenRun(
                  () -> {
                    if (open.decrementAndGet() == 0) {
                      answer.complete(true);
                    }
                  });
    }
    return answer;
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    Map<LeaseId, QuorumRenewal> open = new HashMap<>();
    List<Ticket> asked = new ArrayList<>(tickets.size());
    boolean held = false;
    for (Ticket ticket : tickets) {
      LeaseId id = ticket.id();
      if (election.isUsedUp(id)) {
        each.accept(id, new Renewal.Gone());
        continue;
      }
      boolean isHeld = election.isElected(id);
      held |= isHeld;
      open.put(id, new QuorumRenewal(this, id, isHeld, each));
      asked.add(ticket);
    }
    if (asked.isEmpty()) {
      return;
    }
    for (int i = 0; i < members.size(); i++) {
      int member = i;
      members
          .get(i)
          .renew(
              asked,
              !held,
              within,
              (id, answer) -> {
                QuorumRenewal renewal = open.get(id);
                if (renewal != null) {
                  renewal.heard(member, answer, null);
                }
              });
    }
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    QuorumCandidate known = election.forget(ticket.id());
    boolean once = known != null && known.asked == 1;
    List<Integer> spared = known == null ? List.of() : known.spare();
    QuorumRelease votes =
        new QuorumRelease(this, spared, member -> known != null && known.isElectedWithout(member));
    for (int i = 0; i < members.size(); i++) {
      if (spared.contains(i)) {
        continue;
      }
      int voter = i;
      members
          .get(i)
          .release(ticket, once, within, (answer, failed) -> votes.heard(voter, answer, failed));
    }
    return votes.answer();
  }

  // ---- operators

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(new QuorumOperator(this));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return QuorumOperator.diagnose(this, within);
  }

  // ---- the end

  /** The slower members have a moment for what a majority has answered: a release, for example. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
    drain(drained, clock.nanos() + LAST_REQUESTS_NANOS);
    awaitEnd(drained.thenApply(done -> true));
    awaitEnd(
        CompletableFuture.allOf(
                members.stream().map(QuorumMember::close).toArray(CompletableFuture<?>[]::new))
            .thenApply(done -> true));
    threads.close();
  }

  private void drain(CompletableFuture<@Nullable Void> drained, long until) {
    if (members.stream().allMatch(QuorumMember::isIdle) || clock.nanos() - until >= 0) {
      drained.complete(null);
    } else {
      Scheduler.Timer unused =
          threads.schedule(() -> drain(drained, until), LAST_REQUESTS_NANOS / 100);
    }
  }

  private static void awaitEnd(CompletableFuture<Boolean> end) {
    try {
      TimedJoin.of(end, CLOSING);
    } catch (ExecutionException | TimeoutException e) {
      Log.warn("a member of a closed quorum does not end: " + e);
    }
  }
}
