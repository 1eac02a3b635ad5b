package io.leasehold.servers;

import java.util.Set;
import org.opentest4j.TestAbortedException;

/** What becomes of a test whose server cannot be had. */
final class Availability {
  private static final String REQUIRED = "LEASEHOLD_SERVERS_REQUIRED";

  private Availability() {}

  /**
   * Of an old Debian suite, which may have left the mirrors; {@code ./check --all} says so then.
   */
  private static final Set<String> MAY_BE_GONE = Set.of("consul-1.8");

  /** As {@link #missing}, for a server by its name in {@code servers/fetch --list}. */
  static RuntimeException missingServer(String server, RuntimeException missing) {
    return MAY_BE_GONE.contains(server)
        ? new TestAbortedException(missing.getMessage(), missing)
        : missing;
  }

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
