package io.leasehold.spi;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Atomic lease operations on one store. No verb waits for a holder; durations only, never instants.
 *
 * <p>Rules for every verb. It is told how long it may take ({@code within}) and has answered by
 * then; where verbs do not block, the store may leave that to the engine, which takes silence for
 * an unknown outcome, and a late answer for what it is. It fails its stage, never the call, and
 * with {@link io.leasehold.StoreException} only: {@code UNAVAILABLE} if the request took no effect
 * and never will, {@code BUSY} if moreover only others were in its way for all that time, {@code
 * UNKNOWN_OUTCOME} if it may have, or may yet; {@code REFUSED} if asking again is no use. It is
 * idempotent for its lease id. The store never repeats a request by itself. Verbs for different
 * ids, and different verbs for one id, may run at the same time.
 */
public interface LockStore extends AutoCloseable {
  /** What this store declares of itself; fixed. */
  Traits traits();

  /**
   * Grants the lease if its name is free for it, in one atomic step; answers at once if not.
   *
   * <p>Repeated with the same id it has the same answer while the lease lives: the same number,
   * what remains of its life, which it neither extends nor renews. An id that was withdrawn,
   * released or has expired is never granted again, if the store can tell. While it waits, each
   * attempt keeps its place alive, as {@link #renew} does.
   *
   * <p>A name is free for an exclusive ticket if nobody holds it; for a shared one if nobody holds
   * it exclusively, and no exclusive ticket waits that began to wait before; for one with permits
   * if so many of its limit are left. A fair ticket is granted after every fair one that waits
   * before it. While anybody holds or waits, exclusive and shared tickets do not go with permits,
   * nor permits with those of another limit: {@link Attempt.OtherKind}.
   */
  CompletionStage<Attempt> attempt(Ticket ticket, Duration within);

  /**
   * Gives up an acquisition: whatever the id holds or waits under is removed.
   *
   * @return true if no attempt with this id that was sent earlier can ever be granted from now on;
   *     false if one that is still under way might be, so that the engine withdraws again once
   *     every attempt has ended
   */
  CompletionStage<Boolean> withdraw(Ticket ticket, Duration within);

  /**
   * Renews held leases, to the ttl that each ticket has now, and never shortens one; keeps waiting
   * tickets alive, in as few requests as the store can. Each ticket is answered once, as answers
   * arrive; those without an answer as {@link Renewal.Unknown}, by {@code within}. The failure of
   * one ticket never harms another. A lease that is not this id's, or has expired, is {@link
   * Renewal.Gone}, and nothing is changed.
   */
  void renew(Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each);

  /** Frees the lease of this id, and only that. */
  CompletionStage<Release> release(Ticket ticket, Duration within);

  /**
   * Asks to be woken for a ticket that waits; {@code within} ends when its caller leaves, if that
   * is sooner than a request timeout. Completes once the watch stands, and says whether anything
   * can have been missed before: then the engine attempts once more. Stands over wake-ups and ends
   * when the ticket is granted or withdrawn: a store whose signals fire once arms the next one
   * itself, before it answers an attempt as queued. Stores without signals complete at once with
   * {@link Watch#ATTEMPT_AGAIN}, and are asked only by tests.
   */
  CompletionStage<Watch> watch(Ticket ticket, Duration within);

  /** What operators need; empty if the store keeps no list of its leases. */
  Optional<StoreOperator> operator();

  /**
   * Ends the store's own threads and connections. Releases nothing. Idempotent, and returns in
   * bounded time.
   */
  @Override
  void close();
}
