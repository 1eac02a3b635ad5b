package io.leasehold.servers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The wall clock of one server. It needs gcc; where that is missing the test is aborted, or fails
 * where servers are required.
 */
public final class SteppableClock {
  private final NumberShim shim;

  /**
   * A clock that goes with the machine's until it is stepped.
   *
   * @param folder where its files may be
   */
  public SteppableClock(Path folder) {
    shim = new NumberShim("clock", folder);
  }

  /** Makes a program see this clock. */
  public void addTo(Map<String, String> environment) {
    shim.addTo(environment);
  }

  /** Steps it, forwards or back; the step adds to earlier ones and outlives a restart. */
  public void step(Duration step) {
    shim.set(Math.addExact(shim.get(), step.toNanos()));
  }
}
