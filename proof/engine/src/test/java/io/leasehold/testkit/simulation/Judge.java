package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Hears of everything that happens, and says which promise it broke. */
final class Judge {
  /** Timers, callbacks and answers come a little late; so much later than due is late. */
  static final long SLACK = 5 * Plan.MS;

  final CallJudge calls;
  final LeaseJudge leases;
  final StoreJudge store;
  final GrantJudge grants;
  final MultiJudge multis;
  final PlaceJudge places;
  final KindJudge kinds;

  final Map<LeaseId, Acquisition> ids = new LinkedHashMap<>();
  final List<Call> pending = new ArrayList<>();
  final List<Handle> handles = new ArrayList<>();
  final Map<String, Long> lastCancel = new HashMap<>();

  /** The call that is being made right now. */
  Call invoking;

  /** The call that is being made, as the trace of its tickets. */
  String invoked() {
    return invoking == null ? null : invoking.toString();
  }

  private final World world;
  private final Set<SimulatedProcess> closing = new LinkedHashSet<>();
  private Violation found;

  Judge(World world) {
    this.world = world;
    this.calls = new CallJudge(world, this);
    this.leases = new LeaseJudge(world, this);
    this.store = new StoreJudge(world, this);
    this.grants = new GrantJudge(world, this);
    this.multis = new MultiJudge(world, this);
    this.places = new PlaceJudge(world, this);
    this.kinds = new KindJudge(world, this);
  }

  Violation found() {
    return found;
  }

  void fail(Check check, String message) {
    Violation violation = new Violation(check, message);
    if (found == null) {
      found = violation;
      world.trace.line("judge", violation.getMessage());
    }
  }

  void thrown(SimulatedProcess process, Throwable thrown) {
    StackTraceElement[] at = thrown.getStackTrace();
    fail(Check.THROWN, process.name + " " + thrown + (at.length > 0 ? " at " + at[0] : ""));
    if (found != null && found.getCause() == null) {
      found.initCause(thrown);
    }
  }

  void closing(SimulatedProcess process) {
    closing.add(process);
    if (handles.stream().anyMatch(h -> h.call.process == process && h.isOpen())) {
      world.saw(Sometimes.CLOSED_WHILE_HELD);
    }
  }

  boolean isClosing(SimulatedProcess process) {
    return closing.contains(process);
  }

  void ended(Call call) {
    pending.remove(call);
    kinds.ended(call);
  }

  /** Leases that the store took away: their holders may believe for a while that they hold. */
  void revoked(Collection<LeaseId> gone) {
    for (LeaseId key : gone) {
      Acquisition id = ids.get(key);
      if (id != null) {
        id.revoked = true;
      }
    }
  }

  /** Leases end sooner than their holders were told, until they are told. */
  void shortened() {
    for (Acquisition id : ids.values()) {
      id.shortened = true;
      id.shortenedAt = id.process.nanos();
    }
  }

  void revokeAll(SimulatedProcess process) {
    ids.values().stream().filter(id -> id.process == process).forEach(id -> id.revoked = true);
  }

  SimulatedProcess processOf(LeaseId id) {
    Acquisition known = ids.get(id);
    return known == null ? null : known.process;
  }

  /**
   * Whether an attempt of it may land late, after its client was closed, where nothing can prevent
   * that.
   */
  boolean mayLandLate(LeaseId key) {
    Acquisition id = ids.get(key);
    return !world.plan.has(Feature.TOMBSTONES)
        && (id.attemptsUnknown > 0 || world.plan.tardy() > 0);
  }

  LeaseId anyId(Dice dice) {
    return ids.isEmpty() ? null : dice.pick(List.copyOf(ids.keySet()));
  }

  /** What must be true at every instant. */
  void look() {
    places.look();
    kinds.look();
    leases.look();
  }

  static String kind(Throwable failure) {
    return failure instanceof StoreException e ? " " + e.failure() : "";
  }

  static String ms(long nanos) {
    return nanos >= 1_000_000_000_000_000L ? "ever" : Math.floorDiv(nanos, 1000) / 1000.0 + "ms";
  }
}
