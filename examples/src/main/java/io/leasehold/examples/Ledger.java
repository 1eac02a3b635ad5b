package io.leasehold.examples;

import java.util.ArrayList;
import java.util.List;

/**
 * Data that protects itself: it refuses a writer whose fencing token is lower than the highest it
 * has seen.
 */
final class Ledger {
  private final List<String> entries = new ArrayList<>();
  private long highest;

  synchronized void post(String entry, long fencingToken) {
    if (fencingToken < highest) {
      throw new IllegalStateException(
          "a later holder has written already: " + fencingToken + " < " + highest);
    }
    highest = fencingToken;
    entries.add(entry);
  }

  synchronized List<String> entries() {
    return List.copyOf(entries);
  }
}
