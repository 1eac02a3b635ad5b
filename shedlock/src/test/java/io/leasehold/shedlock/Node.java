package io.leasehold.shedlock;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A process that locks a task, and unlocks it when a line comes. It ends when it is killed. */
final class Node {
  static final String TASK = "task-of-a-process";

  private Node() {}

  /** Arguments: URL, lockAtMostFor, lockAtLeastFor. */
  public static void main(String[] arguments) throws Exception {
    try (LockClient client = connect(arguments[0])) {
      SimpleLock lock =
          new LeaseholdLockProvider(client)
              .lock(
                  new LockConfiguration(
                      Instant.now(),
                      TASK,
                      Duration.parse(arguments[1]),
                      Duration.parse(arguments[2])))
              .orElseThrow();
      System.out.println("locked");
      if (System.in.read() >= 0) {
        lock.unlock();
        System.out.println("unlocked");
      }
      while (System.in.read() >= 0) {
        // Until it is killed
      }
    }
  }

  /**
   * As often as it takes: on a busy machine a driver is slow to start, and the test has a limit.
   */
  private static LockClient connect(String url) {
    while (true) {
      try {
        return Leasehold.connect(url);
      } catch (StoreException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
