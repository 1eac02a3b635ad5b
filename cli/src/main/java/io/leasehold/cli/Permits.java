package io.leasehold.cli;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much of a semaphore {@code run} takes.
 *
 * @param count how many permits
 * @param size of how many
 */
record Permits(int count, int size) {

  /** Reads {@code 2/5}: two of five. */
  static Permits parse(String text) {
    Matcher matcher = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})").matcher(text);
    if (!matcher.matches()) {
      throw new UsageException(
          "--permits takes K/N, as in 2/5 for two of five, not '" + text + "'");
    }
    Permits permits =
        new Permits(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    if (permits.count < 1 || permits.count > permits.size) {
      throw new UsageException("--permits K/N takes at least 1 and at most N, not " + text);
    }
    return permits;
  }

  DistributedLock of(LockClient locks, String name) {
    return locks.semaphore(name, size).permits(count);
  }
}
