package io.leasehold.memcached;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.MemcachedStats;
import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** What the server says of itself that could break a promise. */
final class ServerDiagnosis {
  private ServerDiagnosis() {}

  static CompletionStage<List<Finding>> ask(AsciiMemcacheClient<?> server) {
    return server
        .getStats("")
        .thenCombine(server.getStats("settings"), (now, how) -> of(only(now), only(how)));
  }

  private static Map<String, String> only(Map<String, MemcachedStats> byServer) {
    return byServer.values().iterator().next().getStats();
  }

  private static List<Finding> of(Map<String, String> stats, Map<String, String> settings) {
    String full =
        "when its "
            + (Long.parseLong(stats.getOrDefault("limit_maxbytes", "0")) >> 20)
            + " MB are full it drops items, held locks among them ("
            + stats.getOrDefault("evictions", "0")
            + " so far); start it with -M, or one with enough memory for locks alone";
    return List.of(
        new Finding(Level.OK, "server", "memcached " + stats.get("version")),
        "off".equals(settings.get("evictions"))
            ? new Finding(Level.OK, "eviction", "off (-M)")
            : new Finding(Level.WARNING, "eviction", full),
        new Finding(
            Level.WARNING,
            "persistence",
            "none: a restart forgets all locks while their holders go on"));
  }
}
