package io.leasehold.internal;

import io.leasehold.ClientClosedException;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LeaseTooShortException;
import io.leasehold.LockKindException;
import io.leasehold.LockMode;
import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.spi.support.Durations;
import java.time.Duration;

/** What callers of a lock are told when it goes wrong: what, which lock, and what follows. */
final class Failures {
  private Failures() {}

  static MissingTraitException missing(Trait trait, String store) {
    String accept =
        trait == Trait.FENCING
            ? "its leases have no fencing token; if the data needs none, accept that with .acceptUnfenced(), "
                + "?accept=unfenced in the URL, or --accept unfenced"
            : "leave out .require(Trait." + trait + "), or use a store that has it";
    return new MissingTraitException(
        trait, "the " + store + " store lacks " + trait + ": " + accept);
  }

  static ClientClosedException closed(String name) {
    return new ClientClosedException("lock '" + name + "': the client was closed");
  }

  /** A failure of the store, with the lock's name and what it means for the caller. */
  static StoreException of(StoreException e, String name, String consequence) {
    return new StoreException(
        e.failure(), "lock '" + name + "': " + consequence + ": " + e.getMessage(), e);
  }

  static StoreException silent(String name) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME,
        "lock '"
            + name
            + "': the store did not answer before the caller's deadline; the request is withdrawn in the background",
        null);
  }

  static StoreException notAsked(String name) {
    return new StoreException(
        Failure.UNAVAILABLE,
        "lock '"
            + name
            + "': not asked for, since the store did not answer the caller before; try again",
        null);
  }

  static StoreException tooLate(String name) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME,
        "lock '" + name + "': the answer took longer than the lease lives; use a longer ttl",
        null);
  }

  static StoreException sessionEnded(String name) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME,
        "lock '" + name + "': the session with the store ended before the answer came; try again",
        null);
  }

  static StoreException notAFenceNumber(long number) {
    return new StoreException(
        Failure.REFUSED,
        "the store granted fence number "
            + number
            + ", which is outside of 1 to 2^53-1; the name's number in the store is damaged",
        null);
  }

  static LockKindException otherKind(Waiter waiter, LockMode mode, int limit) {
    return new LockKindException(
        "lock '"
            + waiter.name
            + "': it is in use as "
            + kind(mode, limit)
            + " and cannot be taken as "
            + kind(waiter.terms.mode(), waiter.terms.limit())
            + " meanwhile; use a name for one kind and size only");
  }

  private static String kind(LockMode mode, int limit) {
    return mode == LockMode.PERMITS ? "a semaphore of " + limit + " permits" : "a lock";
  }

  static LeaseLostException lost(Lease lease, Reason reason, String consequence) {
    return over(
        lease,
        switch (reason) {
          case EXPIRED -> "it was not renewed in time";
          case GONE ->
              "the store no longer has it: it was broken by an operator, removed, or expired there";
          case SESSION_ENDED -> "its session with the store ended";
          case MAX_HOLD -> "it reached its longest life";
          case CLOSED -> "its client was closed";
        },
        consequence);
  }

  static LeaseLostException over(Lease lease, String why, String consequence) {
    return new LeaseLostException(
        lease(lease)
            + " is not held any more, "
            + why
            + consequence
            + ". Another may hold the lock: stop the work, and let the data refuse its fencing token");
  }

  static LeaseTooShortException tooShort(Lease lease, Duration left, Duration wanted) {
    return new LeaseTooShortException(
        lease(lease)
            + " stands for "
            + Durations.show(left)
            + " more, not for "
            + Durations.show(wanted)
            + ": begin nothing that takes longer");
  }

  private static String lease(Lease lease) {
    return "lock '" + lease.name() + "': the lease " + lease.leaseId();
  }

  static IllegalArgumentException moreThanARenewalYields(
      Hold hold, Duration most, Duration wanted) {
    Duration ttl = hold.grant.ticket.ttl();
    return new IllegalArgumentException(
        "lock '"
            + hold.name()
            + "': a lease of ttl "
            + Durations.show(ttl)
            + " cannot be held for "
            + Durations.show(wanted)
            + " more, a renewal yields "
            + Durations.show(most)
            + "; ask for less, or take it with a longer ttl");
  }
}
