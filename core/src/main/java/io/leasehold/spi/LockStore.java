package io.leasehold.spi;

import io.leasehold.Finding;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Atomic lease operations on one store. No verb waits for a holder. All times are durations, never
 * instants.
 *
 * <p>Rules for every verb. It answers within the time that the caller passes ({@code within}). A
 * store whose verbs do not block may leave that to the engine, which treats a missing answer as an
 * unknown outcome, and accepts a late one. A verb fails its stage, never the call, and only with
 * {@link io.leasehold.StoreException}: {@code UNAVAILABLE} if the request took no effect and never
 * will, {@code BUSY} if moreover other clients kept the store busy for all that time, {@code
 * UNKNOWN_OUTCOME} if the request may have taken effect or may do so later, {@code REFUSED} if
 * another try does not help. A verb is idempotent for its lease id. The store never repeats a
 * request on its part. Verbs for different ids, and different verbs for one id, may run at the same
 * time.
 */
public interface LockStore extends AutoCloseable {
  /** The properties that this store declares. They never change while it is open. */
  Traits traits();

  /**
   * Grants the lease in one atomic step if the name is free for the ticket; answers at once if it
   * is not.
   *
   * <p>A repeat with the same id gets the same answer while the lease lives: the same number, if it
   * does not {@linkplain Traits.Numbers#ASKED_FOR ask for a larger one}, and the rest of its life,
   * which the repeat does not extend. An id that was withdrawn, released or has expired is never
   * granted again, if the store can tell. Each attempt of a waiting ticket keeps its place alive,
   * as {@link #renew} does.
   *
   * <p>A name is free for an exclusive ticket if it has no holder; for a shared ticket if it has no
   * exclusive holder, and no exclusive ticket has waited for longer; for a ticket with permits if
   * that many permits of its limit are left. A fair ticket is granted after every fair ticket that
   * waits before it. While a name has a holder or a waiter, exclusive and shared tickets exclude
   * permits, and permits exclude those of another limit: the answer is {@link Attempt.OtherKind}.
   */
  CompletionStage<Attempt> attempt(Ticket ticket, Duration within);

  /**
   * As {@link #attempt(Ticket, Duration)} for each of these fair exclusive tickets of one name, in
   * their order and in one request: those that must wait stand in the queue in that order. The
   * answers are in the same order. A failure is one of all of them. Called only if the store
   * {@linkplain Traits.Neighbours#TOGETHER serves neighbours together}, and never for none.
   */
  default CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("this store serves each ticket by itself"));
  }

  /**
   * Gives up an acquisition: removes the lease and the place of this id.
   *
   * @return true if no attempt with this id that was sent earlier can ever be granted from now on;
   *     false if an attempt that is still under way might be, so that the engine withdraws again
   *     once every attempt has ended
   */
  CompletionStage<Boolean> withdraw(Ticket ticket, Duration within);

  /**
   * Renews held leases to the ttl that each ticket has now, never to a shorter one, and keeps
   * waiting tickets alive, in as few requests as the store can. Calls {@code each} once for every
   * ticket, as answers arrive, and by {@code within} with {@link Renewal.Unknown} for tickets
   * without an answer. The failure of one ticket never harms another. For a lease of another id, or
   * one that has expired, the answer is {@link Renewal.Gone}, and nothing changes.
   */
  void renew(Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each);

  /** Frees the lease of this id, and no other. */
  CompletionStage<Release> release(Ticket ticket, Duration within);

  /**
   * As {@link #release(Ticket, Duration)}, of a lease along whose run others were served ({@link
   * Attempt.Granted#run}): if the lease is held, removes the places of these ids in the same step,
   * before it grants to those that come next. If it is not held, the engine withdraws each of them.
   * Called only if the store {@linkplain Traits.Neighbours#TOGETHER serves neighbours together}.
   */
  default CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("this store serves each ticket by itself"));
  }

  /**
   * Subscribes a waiting ticket to wake-ups; {@code within} is the request timeout, or the time
   * that the waiting caller has left if that is shorter. Completes once the watch stands, and says
   * whether it may have missed a change before: the engine then attempts once more. A watch
   * outlives wake-ups, and ends when the ticket is granted or withdrawn: a store whose signals fire
   * once arms the next one before it answers an attempt as queued. A store without signals
   * completes at once with {@link Watch#ATTEMPT_AGAIN}, as here; only tests call it there.
   */
  default CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return CompletableFuture.completedFuture(Watch.ATTEMPT_AGAIN);
  }

  /**
   * Waits for the next that this store has to report, and reports it, on the calling thread, which
   * is that of the waiting ticket's caller: a caller that hears of its grant itself need not be
   * woken. Called only if the store {@linkplain Traits.Hearing#BY_CALLERS lets callers hear}. Its
   * answer {@link Attempt.Queued} says that a ticket is watched only if what concerns it is heard
   * without its caller.
   *
   * <p>Returns at the latest after {@code within}, and soon also if there is nothing to report: an
   * interrupt, the end of the client, a lease of the same client do not wake the caller meanwhile.
   *
   * @return whether there may be more to hear; false if another thread hears: the engine then calls
   *     {@link #watch}, unless the ticket is watched, and wakes the caller itself
   */
  default boolean hear(Ticket ticket, Duration within) {
    return false;
  }

  /** The requests of operators; empty if the store keeps no list of its leases. */
  default Optional<StoreOperator> operator() {
    return Optional.empty();
  }

  /**
   * Looks for conditions that could break the promises of this store. The engine itself checks that
   * the store answers, and how fast. Returns an empty list if the store has nothing to check.
   */
  default CompletionStage<List<Finding>> diagnose(Duration within) {
    return CompletableFuture.completedFuture(List.of());
  }

  /**
   * Ends the threads and connections that the store has opened. Releases no lease. Idempotent;
   * returns in bounded time.
   */
  @Override
  void close();
}
