package io.leasehold.idempotency;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.idempotency.WhileRunning.Way;
import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.spi.support.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * One call. Not thread-safe.
 *
 * <p>What may go wrong, and what becomes of it: the reply to the claim is lost: it is asked for
 * again with the same owner, which the store answers alike. The reply to the completion is lost:
 * likewise. The process dies in between: the claim lapses, and the outcome is unknown. The process
 * is paused: its completion is refused once another has taken the claim over.
 */
final class Execution<T> {
  private static final System.Logger LOG = System.getLogger(Execution.class.getName());
  private static final long FIRST_PAUSE_NANOS = 5_000_000;
  private static final long LONGEST_PAUSE_NANOS = 500_000_000;
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(1);
  private static final long REPEAT_PAUSE_NANOS = 50_000_000;

  private final IdempotentOperation<T> operation;
  private final Idempotency idempotency;
  private final Idempotency.Builder settings;
  private final IdempotencyStore store;
  private final Clock clock;
  private final String key;
  private final Fingerprint fingerprint;
  private final Outcomes<T> outcomes;
  private final String owner;

  /** When the last request for the claim was sent. */
  private long asked;

  private long pause = FIRST_PAUSE_NANOS;

  Execution(IdempotentOperation<T> operation, Key key, Fingerprint fingerprint) {
    this.operation = operation;
    this.idempotency = operation.idempotency;
    this.settings = idempotency.settings();
    this.store = idempotency.store();
    this.clock = idempotency.clock();
    this.key = operation.scoped(key);
    this.fingerprint = fingerprint;
    this.outcomes = new Outcomes<>(operation.codec, settings.maxResult, what());
    this.owner = idempotency.newOwner();
  }

  private String what() {
    return "operation '" + operation.name + "', key " + key;
  }

  <E extends Exception> T run(Action<T, E> action) throws E {
    WhileRunning whileRunning = operation.whenRunning();
    long end = clock.nanos() + Math.min(whileRunning.atMost().toNanos(), Long.MAX_VALUE / 4);
    Intent first = operation.whenUnknown() == OnUnknown.RETRY ? Intent.TAKE_OVER : Intent.CLAIM;
    Intent intent = first;
    while (true) {
      ClaimAnswer answer = ask(intent);
      if (answer instanceof ClaimAnswer.Claimed claimed) {
        return work(claimed, action);
      }
      if (answer instanceof ClaimAnswer.Finished finished) {
        return outcomes.replay(finished.outcome());
      }
      if (answer instanceof ClaimAnswer.OtherFingerprint) {
        throw new FingerprintMismatchException(
            what() + " was used before for another request; use a new key for each request");
      }
      if (answer instanceof ClaimAnswer.Lapsed) {
        throw unknown(
            "began and never ended: its process died, or could not store the result", null);
      }
      Duration remaining = answer instanceof ClaimAnswer.Running r ? r.remaining() : Duration.ZERO;
      if (answer instanceof ClaimAnswer.Absent
          || whileRunning.way() == Way.FAIL
          || end - clock.nanos() <= 0
          || !pauseBefore(end)) {
        throw running(answer instanceof ClaimAnswer.Absent, remaining);
      }
      intent = whileRunning.way() == Way.JOIN ? Intent.LOOK : first;
    }
  }

  private AlreadyRunningException running(boolean gone, Duration remaining) {
    return new AlreadyRunningException(
        what()
            + (gone
                ? ": the call that was joined ended without anything to replay; call again"
                : " is being worked on by another call; call again later"),
        remaining.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : remaining);
  }

  private UnknownOutcomeException unknown(
      String why, @org.jspecify.annotations.Nullable Throwable e) {
    return new UnknownOutcomeException(
        what()
            + ": an earlier call "
            + why
            + "; the work may have been done. Find out, then forget the key or reconcile it",
        e);
  }

  /** Waits for the call that runs, or for a moment; false if it was interrupted. */
  private boolean pauseBefore(long end) {
    CompletableFuture<Boolean> here = idempotency.runningHere().get(key);
    long most = Math.min(here == null ? pause : LONGEST_PAUSE_NANOS, end - clock.nanos());
    pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    if (here == null) {
      LockSupport.parkNanos(this, most);
      return !Thread.currentThread().isInterrupted();
    }
    try {
      here.get(Math.max(1, most), TimeUnit.NANOSECONDS);
      pause = FIRST_PAUSE_NANOS;
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException e) {
      return true;
    } catch (ExecutionException e) {
      throw new IllegalStateException("it is never completed so", e);
    }
  }

  /** Asks again, once, where the answer was lost. */
  private ClaimAnswer ask(Intent intent) {
    asked = clock.nanos();
    ClaimRequest request =
        new ClaimRequest(
            key, owner, fingerprint.hex(), intent, settings.claimLife, operation.keptFor());
    try {
      return store.claim(request, settings.requestTimeout);
    } catch (StoreException e) {
      if (e.failure() != Failure.UNKNOWN_OUTCOME) {
        throw e;
      }
    }
    try {
      return store.claim(request, settings.requestTimeout);
    } catch (StoreException e) {
      withdraw();
      throw e;
    }
  }

  /** It may be claimed by a request whose answer was lost: nothing was begun. */
  private void withdraw() {
    try {
      if (store.release(key, owner, false, settings.requestTimeout)) {
        LOG.log(Level.DEBUG, "a claim whose answer was lost was given back");
      }
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "a claim whose answer was lost may stay until it lapses", e);
    }
  }

  private <E extends Exception> T work(ClaimAnswer.Claimed claimed, Action<T, E> action) throws E {
    ClaimId id = new ClaimId(key, owner, claimed.token());
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    idempotency.runningHere().put(key, end);
    try (Heartbeat claim =
        new Heartbeat(
            store,
            idempotency.scheduler(),
            clock,
            id,
            settings.claimLife,
            operation.keptFor(),
            asked)) {
      if (claimed.takenOver() && operation.reconciler().isPresent()) {
        Reconciler.Finding<T> found = found(claim, id, operation.reconciler().get());
        if (found instanceof Reconciler.Done<T> done) {
          return finished(claim, id, done.value());
        }
        if (found instanceof Reconciler.Unclear) {
          lapse(id);
          throw unknown("never ended, and it could not be told whether its work was done", null);
        }
      }
      T value;
      try {
        value = action.run(claim);
      } catch (Throwable thrown) {
        afterException(id, thrown);
        throw thrown;
      }
      return finished(claim, id, value);
    } finally {
      idempotency.runningHere().remove(key, end);
      end.complete(true);
    }
  }

  private Reconciler.Finding<T> found(Claim claim, ClaimId id, Reconciler<T> reconciler) {
    try {
      return reconciler.reconcile(claim);
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      lapse(id);
      throw unknown("never ended, and it could not be reconciled: " + e, e);
    } catch (Error e) {
      lapse(id);
      throw e;
    }
  }

  private T finished(Heartbeat claim, ClaimId id, T value) {
    Outcome outcome;
    try {
      outcome = outcomes.of(value);
    } catch (ResultUnavailableException e) {
      claim.close();
      lapse(id);
      throw e;
    }
    store(claim, id, outcome);
    return value;
  }

  /**
   * Asks again while the claim lives, and at least once: the work is done, and cannot be undone.
   */
  private void store(Heartbeat claim, ClaimId id, Outcome outcome) {
    boolean interrupted = false;
    try {
      while (!isStored(claim, id, outcome)) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(this, REPEAT_PAUSE_NANOS);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** False if it is to be asked again. */
  private boolean isStored(Heartbeat claim, ClaimId id, Outcome outcome) {
    boolean last = claim.left() <= 0;
    try {
      if (store.complete(id, outcome, operation.keptFor(), settings.requestTimeout)) {
        return true;
      }
      throw new StaleClaimException(
          what()
              + ": the work was done, but its claim had lapsed and was taken over or forgotten;"
              + " what it yielded was not stored, and another call may have done the same work");
    } catch (StoreException e) {
      if (last || e.failure() == Failure.REFUSED) {
        throw new ResultUnavailableException(
            what()
                + ": the work was done, but the store did not take its result: "
                + e.getMessage()
                + "; later calls may find an unknown outcome",
            e);
      }
      return false;
    }
  }

  private void afterException(ClaimId id, Throwable thrown) {
    AfterException policy;
    try {
      policy = operation.after(thrown);
    } catch (RuntimeException | Error e) {
      thrown.addSuppressed(e);
      policy = AfterException.UNKNOWN;
    }
    try {
      switch (policy) {
        case RELEASE -> store.release(key, owner, true, settings.requestTimeout);
        case UNKNOWN -> lapse(id);
        case REPLAY, POISON -> {
          Outcome outcome = Outcomes.of(thrown, policy == AfterException.POISON);
          if (!store.complete(id, outcome, operation.keptFor(), settings.requestTimeout)) {
            thrown.addSuppressed(
                new StaleClaimException(
                    what() + ": the claim had lapsed; the exception was not stored"));
          }
        }
      }
    } catch (StoreException e) {
      // The caller is to see its own exception; the claim lapses by itself.
      thrown.addSuppressed(e);
    }
  }

  /** What happened is unknown, and those who come next are told so at once. */
  private void lapse(ClaimId id) {
    try {
      boolean was = store.extend(id, Duration.ZERO, operation.keptFor(), settings.requestTimeout);
      LOG.log(Level.DEBUG, was ? "a claim was let lapse" : "a claim had lapsed already");
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "a claim lapses by itself", e);
    }
  }
}
