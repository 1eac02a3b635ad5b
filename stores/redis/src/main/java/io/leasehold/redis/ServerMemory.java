package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a server remembers what it granted: it writes each lease to disk before it answers, or it
 * has run for longer than any of them lives. One that says neither is taken to remember the leases,
 * but not their numbers. One for each store that is opened; thread-safe.
 */
final class ServerMemory {
  private static final Command INFO = Command.of(Name.INFO);
  private static final Command APPENDFSYNC = Command.of(Name.CONFIG, "GET", "appendfsync");
  private static final Command NO_FSYNC =
      Command.of(Name.CONFIG, "GET", "no-appendfsync-on-rewrite");
  private static final Duration WITHIN = Duration.ofSeconds(2);

  private final Duration ttl;

  /** Whether the server of the first connection wrote all to disk; null before. */
  private final AtomicReference<@Nullable Boolean> lasting = new AtomicReference<>();

  /**
   * Of a store.
   *
   * @param ttl the longest that any client asks for
   */
  ServerMemory(Duration ttl) {
    this.ttl = ttl;
  }

  /** Whether no restart makes it forget a number: each server that it connects to says so. */
  boolean isLasting() {
    return Boolean.TRUE.equals(lasting.get());
  }

  /**
   * Asks on a new connection.
   *
   * @throws StoreException if leases of the longest ttl may be held that the server has forgotten,
   *     or it does not write each to disk any more
   */
  void require(Link link, String server) {
    link.write(INFO);
    link.write(APPENDFSYNC);
    link.write(NO_FSYNC);
    Object info = link.read(WITHIN);
    boolean always = ServerDiagnosis.value(link.read(WITHIN)).filter("always"::equals).isPresent();
    boolean each = ServerDiagnosis.value(link.read(WITHIN)).filter("no"::equals).isPresent();
    Map<String, String> fields =
        info instanceof byte[] text ? ServerDiagnosis.fields(Command.text(text)) : Map.of();
    boolean writes = always && each && fields.getOrDefault("aof_enabled", "").equals("1");
    if (!lasting.compareAndSet(null, writes) && isLasting() && !writes) {
      throw new StoreException(
          Failure.UNAVAILABLE,
          server
              + " does not say any more that it writes each lease to disk, so that fencing tokens"
              + " rise; it counts again once it runs with appendonly yes, appendfsync always and"
              + " no-appendfsync-on-rewrite no",
          null);
    }
    requireUptime(fields, writes, server);
  }

  private void requireUptime(Map<String, String> fields, boolean writes, String server) {
    String uptime = fields.getOrDefault("uptime_in_seconds", "");
    if (writes || !uptime.matches("\\d{1,9}")) {
      return;
    }
    // Its clock may run faster than that of a holder, and counts whole seconds
    Duration needed = ttl.plus(ttl.dividedBy(100)).plusSeconds(1);
    Duration left = needed.minusSeconds(Long.parseLong(uptime));
    if (left.isNegative()) {
      return;
    }
    throw new StoreException(
        Failure.UNAVAILABLE,
        server
            + " was started "
            + uptime
            + " s ago and may have forgotten leases that are held; it counts again in "
            + Durations.show(left)
            + ", or at once if it runs with appendonly yes and appendfsync always",
        null);
  }
}
