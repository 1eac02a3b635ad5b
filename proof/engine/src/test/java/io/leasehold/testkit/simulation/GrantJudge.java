package io.leasehold.testkit.simulation;

import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Judges grants: whether they are what was asked for, their tokens, and their order. */
final class GrantJudge {
  private static final long LONGEST_RUN = Plan.SECOND;

  private final World world;
  private final Judge judge;

  /** By name, then by how it was shared. */
  private final Map<String, Map<String, Long>> highest = new HashMap<>();

  private final Set<String> tokens = new HashSet<>();

  GrantJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  /** The highest token given out so far to those who cannot hold the name beside this wish. */
  long floor(String name, Wish wish) {
    long floor = 0;
    for (Map.Entry<String, Long> e : highest.getOrDefault(name, Map.of()).entrySet()) {
      if (wish.isAlone() || !e.getKey().equals(share(wish))) {
        floor = Math.max(floor, e.getValue());
      }
    }
    return floor;
  }

  private static String share(Wish wish) {
    return wish.mode() + " " + wish.limit();
  }

  /** A lease went to a caller. */
  void granted(Call call, Handle handle) {
    Acquisition id = judge.ids.get(handle.id);
    if (id == null) {
      judge.fail(Check.FAILURE, call + " was granted " + handle.id + ", which was never asked for");
      return;
    }
    if (!call.wish.isAskedBy(id.ticket)) {
      judge.fail(
          Check.SHARE, call + " wanted " + call.wish + ", but was granted " + id.ticket.mode());
    }
    boolean handed = id.last != null && !call.isPart;
    if (handed) {
      handedOn(call, id, handle);
    }
    id.isGivenTo(handle);
    if (world.plan.has(Feature.FENCING)) {
      checkToken(call, handle);
      checkOrder(call, handle, handed);
    }
    see(call, handle, id);
  }

  private void see(Call call, Handle handle, Acquisition id) {
    if (call.wish.isAlone() && call.waited && call.readers > 1) {
      world.saw(Sometimes.WRITER_BEHIND_READERS);
    }
    if (call.wantedShare != null && !call.wantedShare.equals(handle.id)) {
      world.saw(Sometimes.JOIN_REFUSED);
    }
    if (call.wish.fair() && !call.wish.isAlone()) {
      world.saw(call.wish.isShared() ? Sometimes.FAIR_READER : Sometimes.FAIR_PERMITS);
    }
    if (id.handles.size() == 1 && call.wish.permits() > 1) {
      world.saw(Sometimes.SEVERAL_PERMITS);
    }
  }

  // ---- hand-over and joining

  private void handedOn(Call call, Acquisition id, Handle handle) {
    boolean joined = id.isOpen();
    if (joined && !call.wish.isShared()) {
      judge.fail(
          Check.EXCLUSION,
          call + " was handed " + world.trace.id(handle.id) + " while " + id.last.call + " has it");
    } else if (joined) {
      world.saw(Sometimes.READER_JOINED);
      boolean asked = id.renewSent - call.invokedOwn >= 0 && id.validSent == id.renewSent;
      if (asked) {
        world.saw(Sometimes.READER_JOINED_AFTER_ASKING);
      }
    } else if (call.wish.fair()) {
      world.saw(Sometimes.HANDED_ALONG);
    } else {
      world.saw(id.wanted ? Sometimes.HAND_OVER_WANTED : Sometimes.HAND_OVER);
      if (call.wish.isPermits()) {
        world.saw(Sometimes.PERMITS_HANDED_OVER);
      } else if (call.wish.isShared()) {
        world.saw(Sometimes.READ_HANDED_OVER);
      }
    }
    if (!call.process.hasJustResumed()) {
      checkHandOver(call, id, handle, joined ? 0 : world.plan.handOver());
    }
  }

  private void checkHandOver(Call call, Acquisition id, Handle handle, long longestWanted) {
    long until = world.time.now() - id.validChanged < Judge.SLACK ? id.validBefore : id.validUntil;
    boolean over = until - call.process.nanos() < Judge.SLACK || call.wish.maxHold() > 0;
    boolean excused = judge.isClosing(call.process) || id.revoked || id.lostTold;
    if (!over && !handle.hold.isHeld() && !excused) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease in doubt");
    }
    long now = call.process.nanos() - Judge.SLACK;
    if (now - id.begins > id.ttl / 3 * 2) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease in jeopardy");
    }
    if (call.wish.fair()) {
      checkRun(call, id);
      return;
    }
    // The answer to a renewal may be told before the one to the attempt.
    boolean freshWord = id.wordSent != 0 && now - id.wordSent <= 50 * Plan.MS;
    if (!id.wanted && now - id.validSent > 50 * Plan.MS && !freshWord) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease on an old word that nobody waits");
    }
    if (id.wanted && now - id.wantedSince > longestWanted) {
      judge.fail(
          Check.HAND_OVER, call + " was handed a lease that others have waited for too long");
    }
  }

  /** A fair caller is handed a lease along the queue: alone, by its place, and not for too long. */
  private void checkRun(Call call, Acquisition id) {
    Acquisition own = call.ticket == null ? null : judge.ids.get(call.ticket);
    if (!call.wish.isAlone() || own == null || (own.withdrawSent && !own.lapsed)) {
      judge.fail(Check.HAND_OVER, call + " is fair, and was handed a lease though it has no place");
    }
    if (call.process.nanos() - id.heardOf > LONGEST_RUN + Judge.SLACK) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease that went along for too long");
    }
  }

  // ---- tokens

  private void checkToken(Call call, Handle handle) {
    // Until it is noticed that an operator broke a lease, the lower token protects.
    if (handle.token <= call.floor && !judge.ids.get(handle.id).revoked) {
      judge.fail(
          Check.TOKENS,
          call
              + " got token "
              + handle.token
              + ", but "
              + call.floor
              + " had been granted before it was called");
    }
    if (!tokens.add(call.name + " " + handle.token)) {
      judge.fail(Check.TOKENS, call + " got token " + handle.token + " a second time");
    }
    highest
        .computeIfAbsent(call.name, n -> new HashMap<>())
        .merge(share(call.wish), handle.token, Math::max);
  }

  // ---- order

  private void checkOrder(Call call, Handle handle, boolean handed) {
    if (call.mustFindBusy) {
      judge.fail(
          Check.LOCAL_ORDER, call + " tried, and overtook one that had been told to wait before");
    }
    if (call.overtakenBy != 0 && wasOvertaken(call, handle)) {
      judge.fail(
          Check.LOCAL_ORDER,
          call + " was overtaken inside its process: it was granted later than one after it");
    }
    boolean mayOvertake = call.isTry() && !call.wish.isAlone();
    for (Call earlier : judge.pending) {
      if (earlier.process == call.process
          && earlier.name.equals(call.name)
          && earlier.number < call.number
          && !earlier.wish.fair()
          && !call.wish.fair()
          && !earlier.isTry()
          && !mayOvertake
          && earlier.overtakenBy == 0) {
        earlier.overtakenBy = handle.token;
        earlier.overtakenAt = world.time.now();
      }
    }
    if (call.wish.fair()) {
      checkFairOrder(call, handle, handed);
    }
  }

  /** Where several hold at a time, older leases are handed on beside newer ones: time tells. */
  private boolean wasOvertaken(Call call, Handle handle) {
    return call.wish.isAlone()
        ? handle.token > call.overtakenBy
        : world.time.now() - call.overtakenAt > 2 * Judge.SLACK && !call.process.hasJustResumed();
  }

  private void checkFairOrder(Call call, Handle handle, boolean handed) {
    world.saw(Sometimes.FAIR_GRANT);
    if (judge.pending.stream()
        .anyMatch(c -> c.wish.fair() && c.process != call.process && c.name.equals(call.name))) {
      world.saw(Sometimes.FAIR_ACROSS_PROCESSES);
    }
    LeaseId ticket = call.ticket;
    Acquisition own = ticket == null ? null : judge.ids.get(ticket);
    if (own == null || !own.queued || own.lapsed || (!handed && !handle.id.equals(ticket))) {
      return;
    }
    for (Handle other : judge.handles) {
      if (other != handle
          && other.call.wish.fair()
          && other.call.name.equals(call.name)
          && other.call.invokedAt > own.queuedAt
          && other.token < handle.token) {
        judge.fail(
            Check.FAIR_ORDER,
            call + " had its place before " + other.call + " was called, but got a later token");
      }
    }
  }
}
