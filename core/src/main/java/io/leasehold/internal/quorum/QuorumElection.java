package io.leasehold.internal.quorum;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Busy;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Attempt.OtherKind;
import io.leasehold.spi.Attempt.Queued;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.EndedIds;
import io.leasehold.spi.support.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The attempts at a quorum: each asks a majority at once or all members ({@link QuorumHedge}), and
 * a majority grants. One without a majority leaves nothing behind but the marks of a ticket that
 * waits: what a minority has granted is withdrawn everywhere, and the id is used up. With tokens, a
 * majority must also have the same number: if it has not, all are asked again.
 */
final class QuorumElection {
  /**
   * Clients that share the votes try again at times that differ by some votes: each takes a random
   * part of this many times the duration of its vote.
   */
  private static final int JITTER = 10;

  private final QuorumStore store;

  private final QuorumNumbers numbers;

  /** What became of the ids that are in use: until they are released or withdrawn. */
  private final Map<LeaseId, QuorumCandidate> candidates = new ConcurrentHashMap<>();

  /** Ids that were withdrawn, by the engine or after they shared the votes. */
  private final EndedIds usedUp;

  QuorumElection(QuorumStore store) {
    this.store = store;
    this.numbers = new QuorumNumbers(store.clock, store.quorum);
    this.usedUp = new EndedIds(store.clock);
  }

  /** Whether it holds the lease, as far as this client knows. */
  boolean isElected(LeaseId id) {
    QuorumCandidate candidate = candidates.get(id);
    return candidate != null && candidate.elected;
  }

  /** Whether it is granted no more. */
  boolean isUsedUp(LeaseId id) {
    return usedUp.contains(id);
  }

  /**
   * It is released by the engine.
   *
   * @return what became of it, if that is known
   */
  @Nullable QuorumCandidate forget(LeaseId id) {
    return candidates.remove(id);
  }

  /** It is withdrawn by the engine, and granted no more, though an attempt of it comes late. */
  void useUp(LeaseId id) {
    usedUp.add(id);
    QuorumCandidate known = candidates.remove(id);
    if (known != null) {
      known.reserve.drop();
    }
  }

  CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    if (isUsedUp(ticket.id())) {
      // A ticket that waits finds out by its next poll, and starts again under another id
      return ticket.intent() == Intent.QUEUE
          ? CompletableFuture.completedFuture(new Busy(Duration.ZERO, ""))
          : CompletableFuture.failedFuture(
              new StoreException(Failure.UNAVAILABLE, "this lease id was withdrawn", null));
    }
    AtomicLong elected = new AtomicLong();
    QuorumReserve reserve = new QuorumReserve(store.hedge.reserveOf(ticket.name()));
    candidates.compute(
        ticket.id(),
        (id, known) -> {
          QuorumCandidate candidate = known == null ? new QuorumCandidate(reserve) : known;
          if (known != null) {
            reserve.drop();
          }
          candidate.ballots++;
          candidate.asked++;
          elected.set(candidate.number);
          return candidate;
        });
    Ticket asking = ticket;
    if (store.isFenced()) {
      asking = ticket.withLeastNumber(elected.get() > 0 ? elected.get() : numbers.next());
    }
    CompletableFuture<Attempt> answer = new CompletableFuture<>();
    new Ballot(asking, store.clock.nanos() + Durations.nanos(within), answer, reserve).ask();
    return answer;
  }

  /** One attempt. */
  private final class Ballot extends QuorumVotes {
    private final CompletableFuture<Attempt> answer;
    private final Ticket ticket;
    private final long end;
    private final QuorumPatience patience;
    private final QuorumReserve reserve;

    /** Whether it was decided against, and nothing may be left. Guarded by the mutex. */
    private boolean over;

    /** The members that had answered when a majority had granted. Guarded by the mutex. */
    private final BitSet heardBefore = new BitSet();

    Ballot(Ticket ticket, long end, CompletableFuture<Attempt> answer, QuorumReserve reserve) {
      super(QuorumElection.this.store);
      this.reserve = reserve;
      this.answer = answer;
      this.ticket = ticket;
      this.end = end;
      this.patience =
          new QuorumPatience(store, left(), ticket.intent() == Intent.TRY, this::decide);
    }

    private Duration left() {
      return Duration.ofNanos(Math.max(0, end - store.clock.nanos()));
    }

    void ask() {
      List<Integer> later = reserve.members();
      for (int i = 0; i < store.members.size(); i++) {
        if (!later.contains(i)) {
          ask(i);
        }
      }
      if (!later.isEmpty()) {
        store.hedge.later(reserve, this::askLate);
      }
    }

    private void ask(int voter) {
      store
          .members
          .get(voter)
          .attempt(
              ticket,
              left(),
              (vote, failed) -> heard(voter, QuorumNumbers.checked(ticket, vote), failed));
    }

    private void askReserve() {
      ask(reserve.take());
    }

    private void ask(List<Integer> voters) {
      voters.forEach(this::ask);
      if (!candidates.containsKey(ticket.id())) {
        // It was released or withdrawn meanwhile, and that may have been there first; not where an
        // answer counted. There a withdrawal may come before the release, which then finds nothing.
        List<Integer> maybeLate = new ArrayList<>(voters);
        locked(() -> maybeLate.removeIf(heardBefore::get));
        maybeLate.forEach(this::endIfOver);
      }
    }

    /** The next attempts do not count on members that have not answered by now. */
    private void askLate() {
      List<Integer> wanted = reserve.take();
      List<Integer> silent = new ArrayList<>();
      locked(
          () -> {
            for (int i = 0; i < votes.length; i++) {
              if (votes[i] == null && !wanted.contains(i)) {
                silent.add(i);
              }
            }
          });
      silent.forEach(member -> store.members.get(member).wasLate());
      ask(wanted);
    }

    /** The members that were asked cannot decide it alone. */
    @Override
    @Nullable Runnable undecided() {
      int left = reserve.size();
      boolean isWanted = left > 0 && (missing() == left || count(StoreException.class) > 0);
      return isWanted ? this::askReserve : null;
    }

    @Override
    @Nullable Runnable verdict() {
      List<Granted> grants = all(Granted.class);
      if (grants.size() >= store.quorum) {
        for (int i = 0; i < votes.length; i++) {
          heardBefore.set(i, votes[i] != null);
        }
        return store.isFenced() ? ofNumbers(grants) : () -> elected(0, grants);
      }
      if (count(Attempt.class) >= store.quorum) {
        // A silent member must not keep clients that share the other votes
        boolean mayWin = grants.size() + missing() >= store.quorum;
        return mayWin && !patience.isOver() ? null : this::lost;
      }
      return missing() == 0 ? this::failed : null;
    }

    private Runnable ofNumbers(List<Granted> grants) {
      long number = numbers.chosen(grants);
      List<Granted> same = grants.stream().filter(grant -> grant.number() == number).toList();
      return same.size() >= store.quorum ? () -> elected(number, same) : () -> raise(number);
    }

    private String holder() {
      return Stream.concat(
              all(Busy.class).stream().map(Busy::holder),
              all(Queued.class).stream().map(Queued::holder))
          .filter(holder -> !holder.isEmpty())
          .findFirst()
          .orElse("");
    }

    /** Writes the number back: all are asked again, and those that lack it take it over. */
    private void raise(long number) {
      patience.cancel();
      reserve.drop();
      candidates.computeIfPresent(
          ticket.id(),
          (id, candidate) -> {
            keep(candidate, true);
            candidate.asked++;
            return candidate;
          });
      if (isUsedUp(ticket.id())) {
        overtaken();
      } else {
        new Ballot(ticket.withLeastNumber(number), end, answer, new QuorumReserve(List.of())).ask();
      }
    }

    /** It was withdrawn meanwhile: what was granted since must not stay. */
    private void overtaken() {
      for (int i = 0; i < votes.length; i++) {
        end(i);
      }
      answer.complete(new Busy(Duration.ZERO, ""));
    }

    /** Remembers where something may be left. */
    private void keep(QuorumCandidate candidate, boolean withMissing) {
      locked(
          () -> {
            for (int i = 0; i < votes.length; i++) {
              if (votes[i] == null ? withMissing : mayBeLeft(votes[i])) {
                candidate.left.set(i);
              }
            }
          });
    }

    /** Remembers which members have granted it. */
    private void keepVoters(QuorumCandidate candidate) {
      locked(
          () -> {
            for (int i = 0; i < votes.length; i++) {
              if (votes[i] instanceof Granted) {
                candidate.electedBy(i);
              }
            }
          });
    }

    private void elected(long number, List<Granted> grants) {
      patience.cancel();
      List<Duration> lives = new ArrayList<>(grants.size());
      boolean wanted = false;
      for (Granted grant : grants) {
        lives.add(grant.remaining());
        wanted |= grant.wanted();
      }
      Duration sure = store.majorityOf(lives);
      candidates.computeIfPresent(
          ticket.id(),
          (id, candidate) -> {
            candidate.ballots--;
            candidate.number = number;
            keepVoters(candidate);
            return candidate;
          });
      if (isUsedUp(ticket.id())) {
        overtaken();
      } else {
        answer.complete(new Granted(number, sure, wanted));
      }
    }

    /** A majority has answered, and not enough have granted. */
    private void lost() {
      patience.cancel();
      List<OtherKind> otherKinds = all(OtherKind.class);
      if (otherKinds.size() >= store.quorum) {
        reserve.drop();
        List<?> unused = decidedAgainst(false, false);
        answer.complete(otherKinds.get(0));
        return;
      }
      boolean queues = ticket.intent() == Intent.QUEUE;
      boolean shared = count(Granted.class) > 0;
      boolean waits = queues && !shared;
      List<?> unused = decidedAgainst(waits, false);
      if (waits) {
        // It has to be known there too, or it would wait longer if one of the others fails
        askReserve();
      } else {
        reserve.drop();
      }
      Busy busy = new Busy(Duration.ZERO, holder());
      if (queues && shared) {
        Scheduler.Timer unusedTimer =
            store.threads.schedule(() -> answer.complete(busy), patience.randomPart(JITTER));
      } else {
        answer.complete(busy);
      }
    }

    /** No majority has answered. */
    private void failed() {
      StoreException failure = store.failure(all(StoreException.class));
      boolean unknown = failure.failure() == Failure.UNKNOWN_OUTCOME;
      // What is unknown the engine asks for again, or withdraws
      CompletableFuture<?>[] ends =
          decidedAgainst(unknown, true).toArray(CompletableFuture<?>[]::new);
      // Only once it is certain that it took no effect
      CompletableFuture<?> unused =
          CompletableFuture.allOf(ends)
              .whenComplete((done, thrown) -> answer.completeExceptionally(failure));
    }

    /**
     * Withdraws what may be left, unless the ticket keeps its marks, or another attempt decides.
     *
     * @return complete once nothing is left with those members that have answered
     */
    private List<CompletableFuture<@Nullable Void>> decidedAgainst(boolean waits, boolean failed) {
      List<QuorumMember> withdrawn = new ArrayList<>();
      candidates.compute(
          ticket.id(),
          (id, known) -> {
            // One that is forgotten was withdrawn or released, maybe before this asked again
            QuorumCandidate candidate = known == null ? new QuorumCandidate(reserve) : known;
            candidate.ballots--;
            candidate.waits = known != null && (waits || (failed && candidate.waits));
            boolean ends = !candidate.waits && !candidate.elected && candidate.ballots <= 0;
            locked(() -> over = ends);
            keep(candidate, false);
            if (!ends) {
              return candidate;
            }
            candidate.left.stream().mapToObj(store.members::get).forEach(withdrawn::add);
            if (!withdrawn.isEmpty()) {
              usedUp.add(id);
            }
            return null;
          });
      return withdrawn.stream().map(member -> member.end(ticket)).toList();
    }

    @Override
    @Nullable Runnable late(int member) {
      return over && mayBeLeft(votes[member]) ? () -> endIfOver(member) : null;
    }

    /**
     * If the id is asked for again, that attempt may count on the same grant, and decides on it.
     */
    private void endIfOver(int member) {
      QuorumCandidate again =
          candidates.compute(
              ticket.id(),
              (id, known) -> {
                if (known == null) {
                  usedUp.add(id);
                } else {
                  known.left.set(member);
                }
                return known;
              });
      if (again == null) {
        end(member);
      }
    }

    private void end(int member) {
      CompletableFuture<?> unused = store.members.get(member).end(ticket);
    }

    private boolean mayBeLeft(@Nullable Object vote) {
      if (vote instanceof StoreException failed) {
        return failed.failure() == Failure.UNKNOWN_OUTCOME;
      }
      boolean queues = ticket.intent() == Intent.QUEUE;
      return vote instanceof Granted || vote instanceof Queued || (vote instanceof Busy && queues);
    }
  }
}
