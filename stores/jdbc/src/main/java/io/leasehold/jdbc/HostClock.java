package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/*
 * Every process of a host must read the same time from it, and no step of the wall clock may move
 * it. On Linux that is the monotonic clock: System.nanoTime() is CLOCK_MONOTONIC there, which counts
 * from boot and is one for all processes of a kernel, except that a time namespace adds an offset to
 * it, which is taken off again. It begins anew with each boot, so an instant means nothing without
 * the boot id beside it: a lease of another boot has no holder any more.
 */

/** The clock by which leases in a file expire. */
final class HostClock {
  private static final Path BOOT_ID = Path.of("proc/sys/kernel/random/boot_id");
  private static final Path OFFSETS = Path.of("proc/self/timens_offsets");
  private static final Path TIME = Path.of("proc/self/ns/time");
  private static final Path TIME_FOR_CHILDREN = Path.of("proc/self/ns/time_for_children");

  private final Clock clock;
  private final String epoch;
  private final long offset;
  private final boolean wall;

  private HostClock(Clock clock, String epoch, long offset, boolean wall) {
    this.clock = clock;
    this.epoch = epoch;
    this.offset = offset;
    this.wall = wall;
  }

  /**
   * The clock of this host.
   *
   * @param root where {@code proc} is mounted; the root of the file system but in tests
   */
  static HostClock of(Clock clock, Path root) {
    try {
      if (!Files.isReadable(root.resolve(BOOT_ID))) {
        return new HostClock(clock, "wall", 0, true);
      }
      String boot = Files.readString(root.resolve(BOOT_ID)).strip();
      return new HostClock(clock, boot, offset(root), false);
    } catch (IOException | NumberFormatException e) {
      throw new StoreException(
          Failure.UNAVAILABLE, "the clock of this host cannot be told from /proc: " + e, e);
    }
  }

  private static long offset(Path root) throws IOException {
    if (!Files.exists(root.resolve(OFFSETS))) {
      return 0;
    }
    Path own = root.resolve(TIME);
    Path children = root.resolve(TIME_FOR_CHILDREN);
    // The kernel shows the offsets of the namespace that children will be in.
    if (Files.isSymbolicLink(own)
        && !Files.readSymbolicLink(own).equals(Files.readSymbolicLink(children))) {
      throw new StoreException(
          Failure.REFUSED,
          "this process is not in the time namespace it made for its children, so its clock cannot"
              + " be compared with others; start it with unshare --fork",
          null);
    }
    for (String line : Files.readAllLines(root.resolve(OFFSETS))) {
      String[] words = line.strip().split("\\s+", -1);
      if (words[0].equals("monotonic")) {
        return Long.parseLong(words[1]) * 1_000_000_000L + Long.parseLong(words[2]);
      }
    }
    return 0;
  }

  /**
   * Names the count that {@link #nanos()} belongs to; instants of different epochs cannot be
   * compared.
   */
  String epoch() {
    return epoch;
  }

  /** Whether it is the wall clock, for want of a better one. */
  boolean isWall() {
    return wall;
  }

  /** The same in every process of this host. */
  long nanos() {
    return wall ? Math.multiplyExact(clock.wallMillis(), 1_000_000L) : clock.nanos() - offset;
  }
}
