package io.leasehold.testkit.simulation;

import io.leasehold.testkit.simulation.PatchedEngine.Patch;
import java.util.List;

/**
 * The engine with one bug.
 *
 * @param patches of its source
 * @param probe the one of {@link ThreadProbes} that finds it; empty: the simulation does
 */
record Mutant(String bug, List<Patch> patches, String probe) {
  static Mutant mutant(String bug, String file, String search, String replacement) {
    return new Mutant(bug, List.of(new Patch(file, search, replacement)), "");
  }

  static Mutant threads(String bug, String probe, String file, String search, String replacement) {
    return new Mutant(bug, List.of(new Patch(file, search, replacement)), probe);
  }
}
