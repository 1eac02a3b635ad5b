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
import org.jspecify.annotations.Nullable;

/**
 * The attempts at a quorum: each asks all members at once, and a majority grants. One without a
 * majority leaves nothing behind but the marks of a ticket that waits: what a minority has granted
 * is withdrawn everywhere, and the id is used up.
 */
final class QuorumElection {
  /**
   * Clients that share the votes try again at times that differ by some votes: each takes a random
   * part of this many times the duration of its vote.
   */
  private static final int JITTER = 10;

  private final QuorumStore store;

  /** What became of the ids that are in use: until they are released or withdrawn. */
  private final Map<LeaseId, Candidate> candidates = new ConcurrentHashMap<>();

  /** Ids that were withdrawn, by the engine or after they shared the votes. */
  private final EndedIds usedUp;

  /** One id. Changed only inside the map's own lock for it. */
  private static final class Candidate {
    /** How many of its attempts are not decided. */
    int ballots;

    /** Whether one of them was granted. */
    boolean elected;

    /** Whether it has marks with the members, or may have: the engine will withdraw it. */
    boolean waits;

    /** The members that may have granted it, or keep a mark of it. */
    final BitSet left = new BitSet();
  }

  QuorumElection(QuorumStore store) {
    this.store = store;
    this.usedUp = new EndedIds(store.clock);
  }

  /** Whether it holds the lease, as far as this client knows. */
  boolean isElected(LeaseId id) {
    Candidate candidate = candidates.get(id);
    return candidate != null && candidate.elected;
  }

  /** Whether it is granted no more. */
  boolean isUsedUp(LeaseId id) {
    return usedUp.contains(id);
  }

  /** It is released or withdrawn by the engine. */
  void forget(LeaseId id) {
    candidates.remove(id);
  }

  /** As {@link #forget}; and it is granted no more, though an attempt of it comes late. */
  void useUp(LeaseId id) {
    usedUp.add(id);
    forget(id);
  }

  CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    if (isUsedUp(ticket.id())) {
      // A ticket that waits finds out by its next poll, and starts again under another id
      return ticket.intent() == Intent.QUEUE
          ? CompletableFuture.completedFuture(new Busy(Duration.ZERO, ""))
          : CompletableFuture.failedFuture(
              new StoreException(Failure.UNAVAILABLE, "this lease id was withdrawn", null));
    }
    candidates.compute(
        ticket.id(),
        (id, known) -> {
          Candidate candidate = known == null ? new Candidate() : known;
          candidate.ballots++;
          return candidate;
        });
    Ballot ballot = new Ballot(ticket, within);
    for (int i = 0; i < store.members.size(); i++) {
      int voter = i;
      store
          .members
          .get(i)
          .attempt(ticket, within, (vote, failed) -> ballot.heard(voter, vote, failed));
    }
    return ballot.answer;
  }

  /** One attempt. */
  private final class Ballot extends QuorumVotes {
    final CompletableFuture<Attempt> answer = new CompletableFuture<>();

    private final Ticket ticket;
    private final QuorumPatience patience;

    /** Whether it was decided against, and nothing may be left. Guarded by the mutex. */
    private boolean over;

    Ballot(Ticket ticket, Duration within) {
      super(QuorumElection.this.store);
      this.ticket = ticket;
      this.patience =
          new QuorumPatience(store, within, ticket.intent() == Intent.TRY, this::decide);
    }

    @Override
    @Nullable Runnable verdict() {
      List<Granted> grants = all(Granted.class);
      if (grants.size() >= store.quorum) {
        return () -> elected(grants);
      }
      if (count(Attempt.class) >= store.quorum) {
        // A silent member must not keep clients that share the other votes
        boolean mayWin = grants.size() + missing() >= store.quorum;
        return mayWin && !patience.isOver() ? null : this::lost;
      }
      return missing() == 0 ? this::failed : null;
    }

    private String holder() {
      for (Object vote : votes) {
        String holder =
            vote instanceof Busy busy
                ? busy.holder()
                : vote instanceof Queued queued ? queued.holder() : "";
        if (!holder.isEmpty()) {
          return holder;
        }
      }
      return "";
    }

    private void elected(List<Granted> grants) {
      patience.cancel();
      Duration sure = store.majorityOf(grants.stream().map(Granted::remaining).toList());
      boolean wanted = grants.stream().anyMatch(Granted::wanted);
      candidates.compute(
          ticket.id(),
          (id, candidate) -> {
            if (candidate != null) {
              candidate.ballots--;
              candidate.elected = true;
            }
            return candidate;
          });
      if (isUsedUp(ticket.id())) {
        // It was withdrawn meanwhile: what was granted since must not stay
        for (int i = 0; i < votes.length; i++) {
          end(i);
        }
        answer.complete(new Busy(Duration.ZERO, ""));
      } else {
        answer.complete(new Granted(0, sure, wanted));
      }
    }

    /** A majority has answered, and not enough have granted. */
    private void lost() {
      patience.cancel();
      List<OtherKind> otherKinds = all(OtherKind.class);
      if (otherKinds.size() >= store.quorum) {
        List<?> unused = decidedAgainst(false, false);
        answer.complete(otherKinds.get(0));
        return;
      }
      boolean queues = ticket.intent() == Intent.QUEUE;
      boolean shared = count(Granted.class) > 0;
      List<?> unused = decidedAgainst(queues && !shared, false);
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
      candidates.computeIfPresent(
          ticket.id(),
          (id, candidate) -> {
            candidate.ballots--;
            candidate.waits = waits || (failed && candidate.waits);
            boolean ends = !candidate.waits && !candidate.elected && candidate.ballots == 0;
            locked(
                () -> {
                  over = ends;
                  for (int i = 0; i < votes.length; i++) {
                    if (mayBeLeft(votes[i])) {
                      candidate.left.set(i);
                    }
                  }
                });
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
      return over && mayBeLeft(votes[member]) ? () -> end(member) : null;
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
