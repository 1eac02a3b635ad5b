package io.leasehold.servers;

import org.opentest4j.TestAbortedException;

/** What becomes of a test whose server cannot be had. */
final class Availability {
  private static final String REQUIRED = "LEASEHOLD_SERVERS_REQUIRED";

  private Availability() {}

  /**
   * The test is aborted, which is not passing; where servers are required it fails, as in {@code
   * ./check --all}.
   */
  static RuntimeException missing(String what) {
    return Boolean.parseBoolean(System.getenv(REQUIRED))
        ? new IllegalStateException(what)
        : new TestAbortedException(what);
  }
}
