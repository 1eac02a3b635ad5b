package io.leasehold.servers;

import org.opentest4j.TestAbortedException;

/** What becomes of a test whose server cannot be had. */
final class Availability {
  private static final String REQUIRED = "leasehold.servers.required";

  private Availability() {}

  /**
   * The test is aborted, which is not passing; where servers are required ({@code ./check --all})
   * it fails.
   */
  static RuntimeException missing(String what) {
    boolean required =
        Boolean.getBoolean(REQUIRED)
            || Boolean.parseBoolean(System.getenv("LEASEHOLD_SERVERS_REQUIRED"));
    return required ? new IllegalStateException(what) : new TestAbortedException(what);
  }
}
