package io.leasehold.testkit.simulation;

import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.HashMap;
import java.util.Map;

/** Judges, at every instant, whether those who hold a name may hold it beside each other. */
final class ExclusionJudge {
  private final World world;
  private final Judge judge;
  private final Map<String, Crowd> everywhere = new HashMap<>();
  private final Map<String, Crowd> inOneProcess = new HashMap<>();

  ExclusionJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  void begin() {
    everywhere.values().forEach(Crowd::clear);
    inOneProcess.values().forEach(Crowd::clear);
  }

  /**
   * A handle that says that it is held, whatever became of its lease at the store: by their numbers
   * its own process knows which of its leases cannot stand any more, but of permits.
   */
  void held(Handle handle) {
    if (world.plan.has(Feature.FENCING) && !handle.call.wish.isPermits()) {
      add(inOneProcess, handle.call.process.name + handle.call.name, handle);
    }
  }

  /** A handle that is held, as everybody may rely on. */
  void certainlyHeld(Handle handle) {
    add(everywhere, handle.call.name, handle);
  }

  private void add(Map<String, Crowd> crowds, String key, Handle handle) {
    Handle other = crowds.computeIfAbsent(key, n -> new Crowd()).add(handle);
    if (other != null) {
      judge.fail(
          Check.EXCLUSION,
          handle.call.name
              + " is held by "
              + other.call
              + " at "
              + other.call.process.name
              + " and "
              + handle.call
              + " at "
              + handle.call.process.name);
    }
  }

  void end() {
    for (Crowd crowd : everywhere.values()) {
      if (crowd.isFull()) {
        world.saw(Sometimes.ALL_PERMITS_OUT);
      } else if (crowd.readsInTwoProcesses()) {
        world.saw(Sometimes.READERS_IN_TWO_PROCESSES);
      }
    }
  }
}
