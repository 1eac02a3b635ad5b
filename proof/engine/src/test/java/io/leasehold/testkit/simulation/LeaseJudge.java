package io.leasehold.testkit.simulation;

import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.List;

/** Judges leases: whether what their holders are told is true, at every instant. */
final class LeaseJudge {
  private final World world;
  private final Judge judge;
  private final List<Handle> active = new ArrayList<>();
  private final ExclusionJudge exclusion;

  LeaseJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
    this.exclusion = new ExclusionJudge(world, judge);
  }

  void releaseAsked(Handle handle) {
    handle.releaseAsked = true;
    judge.ids.get(handle.id).lastAsked = handle;
    world.trace.line(
        handle.call.process.name, handle.call + " release " + world.trace.id(handle.id));
  }

  void releaseEnded(Handle handle, Throwable failure) {
    handle.releaseEnded = true;
    world.trace.line(
        handle.call.process.name,
        handle.call + " released " + (failure == null ? "" : failure.getClass().getSimpleName()));
    Acquisition id = judge.ids.get(handle.id);
    if (failure == null) {
      world.saw(Sometimes.RELEASED);
      handle.released = true;
      // What the store said of one id is about the last of its holders that let go of it.
      boolean last = id.lastAsked == handle;
      if (last && id.released == Release.NOT_HELD && !judge.isClosing(handle.call.process)) {
        judge.fail(
            Check.RELEASE_TRUE,
            handle.call + " was released, but the store had said that it was not held");
      }
      if (handle.lost > 0) {
        judge.fail(Check.LOSS_TOLD, handle.call + " was lost, and then released with success");
      }
      if (last
          && id.removalAnswered
          && id.attemptsUnknown == 0
          && id.attemptsUnderWay == 0
          && world.server.holds(id.name, handle.id)) {
        judge.fail(
            Check.RELEASE_TRUE,
            handle.call + " was released, but the store still has " + world.trace.id(handle.id));
      }
    } else if (failure instanceof LeaseLostException) {
      world.saw(Sometimes.RELEASE_AFTER_LOSS);
    } else if (failure instanceof StoreException) {
      world.saw(Sometimes.RELEASE_UNKNOWN);
    } else {
      judge.fail(Check.FAILURE, handle.call + " failed to release with " + failure);
    }
    if (handle.hold.isHeld()) {
      judge.fail(Check.REVIVED, handle.call + " is held after its release");
    }
  }

  void lost(Handle handle) {
    handle.lost++;
    Acquisition id = judge.ids.get(handle.id);
    world.trace.line(handle.call.process.name, handle.call + " lost " + world.trace.id(handle.id));
    if (handle.lost > 1) {
      judge.fail(Check.LOSS_TOLD, handle.call + " was told twice that it is lost");
    }
    if (handle.released && !judge.isClosing(handle.call.process)) {
      judge.fail(Check.LOSS_TOLD, handle.call + " was told that it is lost after it was released");
    }
    long now = handle.call.process.nanos();
    boolean outlived = hasLivedLongest(handle, now);
    if (outlived && id.isOpen()) {
      world.saw(Sometimes.READER_LIVED_LONGEST);
    }
    // The longest life of one reader ends no other's lease.
    id.lostTold |= !outlived || !handle.call.wish.isShared();
    boolean over = now - id.validUntil + Judge.SLACK >= 0;
    // The loss was noticed a moment before it is told here.
    over |=
        world.time.now() - id.validChanged < Judge.SLACK && now - id.validBefore + Judge.SLACK >= 0;
    boolean gone = !world.server.holds(id.name, handle.id) || id.revoked || id.shortened;
    if (!outlived && !over && !gone && !judge.isClosing(handle.call.process)) {
      judge.fail(Check.LOSS_CAUSE, handle.call + " was told that it is lost, but it is not");
    }
    if (world.plan.isCalm()
        && !world.plan.has(Feature.SESSIONS)
        && handle.call.wish.renewed()
        && !outlived
        && !judge.isClosing(handle.call.process)) {
      judge.fail(
          Check.LOSS_CAUSE, handle.call + " was lost in calm weather, although it is renewed");
    }
  }

  /**
   * A lease begins before its holder hears of it: much earlier if its process was stopped, or if it
   * is the first of several.
   */
  private static boolean hasLivedLongest(Handle handle, long now) {
    long longest = handle.call.wish.maxHold();
    long since = handle.call.isPart ? handle.call.invokedOwn : handle.grantedOwn;
    return longest > 0
        && (now - since + Judge.SLACK >= longest || handle.call.process.wasStopped());
  }

  void event(SimulatedProcess process, LockEvent event) {
    if (world.trace.on()) {
      world.trace.line(process.name, "! " + describe(event));
    }
    if (event instanceof LockEvent.Jeopardy jeopardy) {
      world.saw(Sometimes.JEOPARDY);
      judge.ids.get(LeaseId.parse(jeopardy.leaseId())).endangered = true;
    } else if (event instanceof LockEvent.Acquired acquired) {
      judge.ids.get(LeaseId.parse(acquired.leaseId())).acquired = true;
    } else if (event instanceof LockEvent.Renewed renewed) {
      world.saw(Sometimes.RENEWED);
      Acquisition id = judge.ids.get(LeaseId.parse(renewed.leaseId()));
      if (id.endangered) {
        world.saw(Sometimes.JEOPARDY_SURVIVED);
      }
      id.endangered = false;
    } else if (event instanceof LockEvent.UnknownOutcome) {
      world.saw(Sometimes.UNKNOWN_OUTCOME);
    } else if (event instanceof LockEvent.Lost lost) {
      world.saw(
          switch (lost.reason()) {
            case EXPIRED -> Sometimes.LOST_EXPIRED;
            case GONE -> Sometimes.LOST_GONE;
            case SESSION_ENDED -> Sometimes.LOST_SESSION;
            case MAX_HOLD -> Sometimes.LOST_MAX_HOLD;
            case CLOSED -> Sometimes.CLOSED_WHILE_HELD;
          });
      lost(process, lost);
    } else if (event instanceof LockEvent.Waiting) {
      judge.pending.stream()
          .filter(c -> c.process == process && c.name.equals(event.name()))
          .forEach(c -> c.waited = true);
    }
  }

  private void lost(SimulatedProcess process, LockEvent.Lost lost) {
    Acquisition id = judge.ids.get(LeaseId.parse(lost.leaseId()));
    boolean inHands = false;
    for (Handle handle : id.handles) {
      if (handle.token == lost.fencingToken()) {
        inHands = true;
        // Without tokens the handles of one grant cannot be told apart.
        if (handle.lostEvents++ > 0 && handle.token != 0) {
          judge.fail(Check.LOSS_TOLD, handle.call + " was reported lost twice");
        }
        if (handle.released && handle.token != 0 && !judge.isClosing(process)) {
          judge.fail(Check.LOSS_TOLD, handle.call + " was reported lost after it was released");
        }
      }
    }
    if (!inHands) {
      judge.multis.partLost(process, id.name);
    }
    if (lost.reason() != LockEvent.Lost.Reason.MAX_HOLD) {
      id.endedAt = world.time.now();
    }
  }

  private String describe(LockEvent event) {
    if (event instanceof LockEvent.Lost lost) {
      return "Lost " + world.trace.id(LeaseId.parse(lost.leaseId())) + " " + lost.reason();
    }
    if (event instanceof LockEvent.UnknownOutcome unknown) {
      return "UnknownOutcome "
          + world.trace.id(LeaseId.parse(unknown.leaseId()))
          + " "
          + unknown.request();
    }
    return event.getClass().getSimpleName() + " " + event.name();
  }

  /** What a new call finds in its process. */
  void invoked(Call call) {
    for (Handle handle : active) {
      if (handle.isOpen() && handle.call.name.equals(call.name) && handle.call.wish.isShared()) {
        call.readers++;
        boolean joinable = !handle.call.wish.fair() && call.wish.isShared() && !call.wish.fair();
        Acquisition id = judge.ids.get(handle.id);
        if (joinable && handle.call.process == call.process && id.wanted) {
          call.wantedShare = handle.id;
        }
      }
    }
  }

  void begins(Handle handle) {
    active.add(handle);
  }

  void look() {
    exclusion.begin();
    for (int i = active.size() - 1; i >= 0; i--) {
      Handle handle = active.get(i);
      if (handle.releaseEnded || handle.lost > 0 || !handle.call.process.isAlive()) {
        active.remove(i);
      }
      if (handle.call.process.canBeObserved()) {
        look(handle, handle.call.process);
      }
    }
    exclusion.end();
  }

  private void look(Handle handle, SimulatedProcess process) {
    Acquisition id = judge.ids.get(handle.id);
    boolean held = handle.hold.isHeld();
    if (held) {
      if ((handle.wasOver && !inDoubt()) || handle.lost > 0 || handle.releaseEnded) {
        judge.fail(Check.REVIVED, handle.call + " is held again");
      }
      handle.wasOver = false;
      handle.overSince = 0;
      mustBeRenewed(handle, id, process);
      exclusion.held(handle);
      if (id.revoked || id.shortened) {
        return;
      }
      exclusion.certainlyHeld(handle);
      if (!world.server.holds(id.name, handle.id)) {
        judge.fail(
            Check.VALIDITY,
            handle.call
                + " at "
                + process.name
                + " is held, but the store's lease "
                + world.trace.id(handle.id)
                + " is over");
      }
      return;
    }
    if (handle.isOpen()) {
      handle.wasOver = true;
      mustBeTold(handle, id, process);
    }
  }

  private void mustBeRenewed(Handle handle, Acquisition id, SimulatedProcess process) {
    long now = process.nanos() - Judge.SLACK;
    boolean due = now - id.heardOf > id.ttl / 2 && now - id.renewSent > id.ttl / 2;
    if (due
        && handle.call.wish.renewed()
        && process.isRunning()
        && !process.hasJustResumed()
        && !judge.isClosing(process)) {
      judge.fail(
          Check.RENEWAL,
          handle.call + " at " + process.name + " is held and not renewed for half of its ttl");
    }
  }

  private boolean inDoubt() {
    return world.plan.kinds().contains(Plan.Disaster.SUSPEND)
        || world.plan.kinds().contains(Plan.Disaster.WALL_STEP);
  }

  private void mustBeTold(Handle handle, Acquisition id, SimulatedProcess process) {
    long now = process.nanos();
    boolean over = now - id.validUntil > 0 || !inDoubt();
    if (!over) {
      world.saw(Sometimes.DOUBT_WHILE_HELD);
    }
    if (!process.isRunning() || !over || judge.isClosing(process)) {
      handle.overSince = 0;
    } else if (handle.overSince == 0) {
      handle.overSince = now;
    } else if (now - handle.overSince > 50 * Plan.MS) {
      judge.fail(
          Check.LOSS_TOLD,
          handle.call + " at " + process.name + " is over, and its holder was not told");
    }
  }
}
