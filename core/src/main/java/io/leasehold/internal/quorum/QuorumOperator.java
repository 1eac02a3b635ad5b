package io.leasehold.internal.quorum;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.LockSnapshot.Waiter;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What operators ask a quorum: what a majority says of leases, and what each member finds. */
final class QuorumOperator implements StoreOperator {
  private final QuorumStore store;

  QuorumOperator(QuorumStore store) {
    this.store = store;
  }

  // ---- list

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return new Inquiry<List<LockSnapshot>>(store, within)
        .ask((member, left) -> ask(member, operator -> operator.list(name, left)))
        .thenApply(
            answers -> {
              List<List<LockSnapshot>> lists =
                  answers.stream().flatMap(answer -> answer.value().stream()).toList();
              if (lists.size() < store.quorum) {
                throw store.failure(
                    answers.stream().flatMap(answer -> answer.failed().stream()).toList());
              }
              return merged(lists);
            });
  }

  private static <T> CompletionStage<T> ask(
      LockStore member, Function<StoreOperator, CompletionStage<T>> request) {
    return member
        .operator()
        .map(request)
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new StoreException(
                        Failure.REFUSED,
                        "the " + member.traits().store() + " store keeps no list of its leases",
                        null)));
  }

  /**
   * What a majority has, as far as they tell: one that does not answer may have it too, so that
   * what is held is never missing.
   */
  private List<LockSnapshot> merged(List<List<LockSnapshot>> lists) {
    int least = store.quorum - (store.members.size() - lists.size());
    Map<String, List<LockSnapshot>> byName = new TreeMap<>();
    for (List<LockSnapshot> list : lists) {
      list.forEach(lock -> byName.computeIfAbsent(lock.name(), n -> new ArrayList<>()).add(lock));
    }
    List<LockSnapshot> found = new ArrayList<>();
    byName.forEach(
        (name, locks) -> {
          List<Holder> holders =
              ofAtLeast(least, locks, LockSnapshot::holders, Holder::leaseId).stream()
                  .map(this::holder)
                  .toList();
          List<Waiter> waiters =
              ofAtLeast(least, locks, LockSnapshot::waiters, Waiter::leaseId).stream()
                  .map(one -> one.get(0))
                  .toList();
          if (!holders.isEmpty() || !waiters.isEmpty()) {
            found.add(new LockSnapshot(name, holders, waiters));
          }
        });
    return found;
  }

  /** What so many list under one id. */
  private static <T> List<List<T>> ofAtLeast(
      int least,
      List<LockSnapshot> locks,
      Function<LockSnapshot, List<T>> part,
      Function<T, String> id) {
    Map<String, List<T>> byId = new LinkedHashMap<>();
    locks.stream()
        .map(part)
        .flatMap(Collection::stream)
        .forEach(one -> byId.computeIfAbsent(id.apply(one), i -> new ArrayList<>()).add(one));
    return byId.values().stream().filter(all -> all.size() >= least).toList();
  }

  private Holder holder(List<Holder> same) {
    Holder one = same.get(0);
    return new Holder(
        one.leaseId(),
        one.holder(),
        one.mode(),
        one.permits(),
        store.isFenced() ? token(same) : 0,
        same.stream().map(Holder::heldFor).max(Comparator.naturalOrder()).orElseThrow(),
        store.majorityOf(same.stream().map(Holder::remaining).toList()));
  }

  /** What a majority has; a minority may have another number, which is mostly a larger one. */
  private static long token(List<Holder> same) {
    List<Long> tokens = same.stream().map(Holder::fencingToken).sorted().toList();
    return tokens.get((tokens.size() - 1) / 2);
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    if (!store.isFenced()) {
      return CompletableFuture.failedFuture(
          new StoreException(
              Failure.REFUSED,
              "this quorum has no fencing token to break a lease by: break it with each member that"
                  + " lists it, by the token there",
              null));
    }
    return new Inquiry<Boolean>(store, within)
        .ask((member, left) -> ask(member, operator -> operator.breakLease(name, number, left)))
        .thenApply(this::isBroken);
  }

  /** Broken once no majority can have it; where too few had it under this number it may stand. */
  private boolean isBroken(List<Reply<Boolean>> answers) {
    long broken = answers.stream().filter(answer -> answer.value().orElse(false)).count();
    long not = answers.stream().filter(answer -> !answer.value().orElse(true)).count();
    if (broken >= store.quorum || (not >= store.quorum && broken == 0)) {
      return broken > 0;
    }
    StoreException failure =
        store.failure(answers.stream().flatMap(answer -> answer.failed().stream()).toList());
    throw broken == 0
        ? failure
        : new StoreException(
            Failure.UNKNOWN_OUTCOME,
            broken + " of " + answers.size() + " members broke it, no majority",
            failure);
  }

  // ---- diagnose

  /** What each member finds, and which of them do not answer. */
  static CompletionStage<List<Finding>> diagnose(QuorumStore store, Duration within) {
    return new Inquiry<List<Finding>>(store, within)
        .ask(LockStore::diagnose)
        .thenApply(
            answers -> {
              List<Finding> findings = new ArrayList<>();
              findings.add(reached(store, answers));
              if (!store.isFenced()) {
                store.members.stream().flatMap(m -> unfenced(m).stream()).forEach(findings::add);
              }
              for (int i = 0; i < answers.size(); i++) {
                Reply<List<Finding>> answer = answers.get(i);
                answer.value().orElse(List.of()).stream()
                    .map(store.members.get(i)::of)
                    .forEach(findings::add);
                answer
                    .failed()
                    .map(
                        failed ->
                            new Finding(
                                Level.WARNING, "member", String.valueOf(failed.getMessage())))
                    .ifPresent(findings::add);
              }
              return findings;
            });
  }

  /** Why there are no tokens. */
  private static Optional<Finding> unfenced(QuorumMember member) {
    return Optional.ofNullable(member.traits())
        .filter(traits -> !QuorumStore.keepsNumbers(traits))
        .map(
            traits ->
                member.of(
                    new Finding(
                        Level.WARNING,
                        "fencing",
                        "it may forget the fence numbers that it gave, or makes them by itself, so"
                            + " the quorum has none")));
  }

  private static Finding reached(QuorumStore store, List<Reply<List<Finding>>> answers) {
    long answered = answers.stream().filter(answer -> answer.failed().isEmpty()).count();
    int all = answers.size();
    return new Finding(
        answered == all ? Level.OK : answered >= store.quorum ? Level.WARNING : Level.ERROR,
        "quorum",
        answered + " of " + all + " members answer; " + store.quorum + " are a majority");
  }

  // ---- asking all

  /** The answer of a member: a value, or why there is none. */
  private record Reply<T>(Optional<T> value, Optional<StoreException> failed) {}

  /** Asks all members, and waits for those that answer soon after a majority has. */
  private static final class Inquiry<T> extends QuorumVotes {
    private final Duration within;
    private final QuorumPatience patience;
    private final CompletableFuture<List<Reply<T>>> answer = new CompletableFuture<>();

    Inquiry(QuorumStore store, Duration within) {
      super(store);
      // Who asks this waits no longer than that
      this.within = within.dividedBy(2);
      this.patience = new QuorumPatience(store, this.within, false, this::decide);
    }

    CompletionStage<List<Reply<T>>> ask(BiFunction<LockStore, Duration, CompletionStage<T>> verb) {
      for (int i = 0; i < store.members.size(); i++) {
        int member = i;
        store
            .members
            .get(i)
            .<T>ask(
                Work.POLL,
                within,
                verb,
                (value, failed) ->
                    heard(
                        member,
                        new Reply<>(Optional.ofNullable(value), Optional.ofNullable(failed)),
                        null));
      }
      return answer;
    }

    @Override
    @Nullable Runnable verdict() {
      boolean enough = votes.length - missing() >= store.quorum && patience.isOver();
      return missing() == 0 || enough ? this::end : null;
    }

    @SuppressWarnings("unchecked") // What ask put there
    private void end() {
      patience.cancel();
      List<Reply<T>> replies = new ArrayList<>();
      for (int i = 0; i < votes.length; i++) {
        replies.add(
            votes[i] == null
                ? new Reply<>(Optional.empty(), Optional.of(store.members.get(i).silent()))
                : (Reply<T>) votes[i]);
      }
      answer.complete(replies);
    }
  }
}
