package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Map;

/**
 * Whether a server remembers the leases that it granted: it writes each to disk before it answers,
 * or it has run for longer than any of them lives. One that says neither is taken to remember.
 */
final class ServerMemory {
  private static final Command INFO = Command.of(Name.INFO);
  private static final Command APPENDFSYNC = Command.of(Name.CONFIG, "GET", "appendfsync");
  private static final Duration WITHIN = Duration.ofSeconds(2);

  private ServerMemory() {}

  /**
   * Asks on a new connection.
   *
   * @throws StoreException if leases of this ttl may be held that the server has forgotten
   */
  static void require(Link link, String server, Duration ttl) {
    link.write(INFO);
    link.write(APPENDFSYNC);
    Object info = link.read(WITHIN);
    Object appendfsync = link.read(WITHIN);
    if (!(info instanceof byte[] text)) {
      return;
    }
    Map<String, String> fields = ServerDiagnosis.fields(Command.text(text));
    boolean writes =
        fields.getOrDefault("aof_enabled", "").equals("1")
            && ServerDiagnosis.value(appendfsync).filter("always"::equals).isPresent();
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
