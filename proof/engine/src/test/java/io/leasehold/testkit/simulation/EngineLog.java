package io.leasehold.testkit.simulation;

import java.util.logging.Logger;

/** What the engine logs goes to the simulation that it runs in, and nowhere else. */
final class EngineLog implements AutoCloseable {
  /** Held, or its level would be forgotten. */
  private final Logger log = Logger.getLogger("io.leasehold");

  private final Strand.Logs logs = new Strand.Logs();

  EngineLog() {
    log.setUseParentHandlers(false);
    log.addHandler(logs);
  }

  @Override
  public void close() {
    log.removeHandler(logs);
    log.setUseParentHandlers(true);
  }
}
