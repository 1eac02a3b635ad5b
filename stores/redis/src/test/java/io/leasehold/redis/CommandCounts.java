package io.leasehold.redis;

import io.leasehold.servers.RedisServer;
import java.util.Map;
import java.util.TreeMap;

/** How often a server has run each command since this was made, those inside scripts included. */
final class CommandCounts {
  private final RedisServer server;
  private final Map<String, Long> before;

  private CommandCounts(RedisServer server) {
    this.server = server;
    this.before = now();
  }

  static CommandCounts from(RedisServer server) {
    return new CommandCounts(server);
  }

  private Map<String, Long> now() {
    Map<String, Long> calls = new TreeMap<>();
    server
        .info("commandstats")
        .forEach(
            (name, value) ->
                calls.put(
                    name.substring("cmdstat_".length()),
                    Long.valueOf(value.replaceAll("calls=(\\d+),.*", "$1"))));
    return calls;
  }

  /** By the name of the command, as {@code evalsha} and {@code client|kill}; without INFO. */
  Map<String, Long> all() {
    Map<String, Long> counts = now();
    counts.replaceAll((name, calls) -> calls - before.getOrDefault(name, 0L));
    counts.values().removeIf(calls -> calls == 0);
    counts.remove("info");
    return counts;
  }

  long of(String command) {
    return all().getOrDefault(command, 0L);
  }

  /** All together. */
  long sum() {
    return all().values().stream().mapToLong(Long::longValue).sum();
  }
}
