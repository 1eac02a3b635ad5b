package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.event.LockEvent.Lost.Reason;
import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * What Java Flight Recorder records of locks. Each event says itself how long something took, and
 * is made when that ends: so nothing is allocated while the recorder is off, and none of its event
 * classes is loaded before it was on for the first time.
 */
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields of an event
final class Flight {
  /** A runtime image may lack it. */
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private Flight() {}

  private static boolean isOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }

  /** A wait has ended, which may have been a try. */
  static void acquired(Waiter waiter, Waiter.Outcome end) {
    if (isOn() && Acquire.KIND.isEnabled()) {
      Acquire event = new Acquire();
      event.lock = waiter.name;
      event.caller = waiter.thread;
      event.waited = waiter.age().toNanos();
      if (end instanceof Hold hold) {
        event.outcome = "granted";
        event.leaseId = hold.leaseId();
        event.token = hold.tokenOrZero();
      } else if (end instanceof Waiter.Failed failed) {
        event.outcome = "failed";
        event.cause = String.valueOf(failed.why().getMessage());
      } else {
        event.outcome = end instanceof Waiter.Busy ? "busy" : "withdrawn";
      }
      event.commit();
    }
  }

  /** A lease is no longer held: released, or lost for this reason. */
  static void held(Hold hold, @Nullable Reason lostBy) {
    if (!isOn()) {
      return;
    }
    if (Held.KIND.isEnabled()) {
      Held event = new Held();
      event.fill(hold);
      event.end = lostBy == null ? "released" : "lost";
      event.held = hold.age().toNanos();
      event.commit();
    }
    if (lostBy != null && Lost.KIND.isEnabled()) {
      Lost event = new Lost();
      event.fill(hold);
      event.reason = lostBy.name();
      event.commit();
    }
  }

  static void endangered(Hold hold, Duration remaining) {
    if (isOn() && Jeopardy.KIND.isEnabled()) {
      Jeopardy event = new Jeopardy();
      event.fill(hold);
      event.remaining = remaining.toNanos();
      event.commit();
    }
  }

  static void renewalFailed(Grant grant, Throwable cause) {
    if (isOn() && RenewalFailure.KIND.isEnabled()) {
      RenewalFailure event = new RenewalFailure();
      event.lock = grant.ticket.name();
      event.leaseId = grant.ticket.id().toString();
      event.failure =
          cause instanceof StoreException store
              ? store.failure().name()
              : cause.getClass().getName();
      event.cause = String.valueOf(cause.getMessage());
      event.commit();
    }
  }

  /** Of a lease. */
  @Category("Leasehold")
  @StackTrace(false)
  private abstract static class OfLease extends Event {
    @Label("Lock Name")
    @Nullable String lock;

    @Label("Lease Id")
    @Nullable String leaseId;

    @Label("Fencing Token")
    @Description("0 if there is none")
    long token;

    void fill(Hold hold) {
      lock = hold.name();
      leaseId = hold.leaseId();
      token = hold.tokenOrZero();
    }
  }

  @Name("io.leasehold.Acquire")
  @Label("Lock Acquire")
  @Description("A caller asked for a lock, and its wait or try has ended")
  private static final class Acquire extends OfLease {
    /** Answers for its class whether it is recorded. */
    static final Acquire KIND = new Acquire();

    @Label("Outcome")
    @Description("granted, busy, failed, or withdrawn by the caller")
    @Nullable String outcome;

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Caller")
    @Description("The thread that waited; none if a future did")
    @Nullable Thread caller;

    @Label("Cause")
    @Nullable String cause;
  }

  @Name("io.leasehold.Hold")
  @Label("Lock Hold")
  @Description("A holder no longer has its lease")
  private static final class Held extends OfLease {
    static final Held KIND = new Held();

    @Label("End")
    @Description("released or lost")
    @Nullable String end;

    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;
  }

  @Name("io.leasehold.Lost")
  @Label("Lock Lost")
  @Description("A lease was lost: another client may hold the lock")
  private static final class Lost extends OfLease {
    static final Lost KIND = new Lost();

    @Label("Reason")
    @Nullable String reason;
  }

  @Name("io.leasehold.Jeopardy")
  @Label("Lock Jeopardy")
  @Description("Renewal has failed for two thirds of the ttl, and the lease still stands")
  private static final class Jeopardy extends OfLease {
    static final Jeopardy KIND = new Jeopardy();

    @Label("Remaining")
    @Timespan(Timespan.NANOSECONDS)
    long remaining;
  }

  @Name("io.leasehold.RenewalFailure")
  @Label("Lock Renewal Failure")
  @Description("The store did not answer the renewal of a lease; it is tried again")
  private static final class RenewalFailure extends OfLease {
    static final RenewalFailure KIND = new RenewalFailure();

    @Label("Failure")
    @Nullable String failure;

    @Label("Cause")
    @Nullable String cause;
  }
}
