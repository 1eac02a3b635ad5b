package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.jdbc.Database;
import io.leasehold.benchmarks.jdbc.Statements;
import io.leasehold.benchmarks.runner.Client;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * Not idempotency, but the least that it can cost: a row is made and changed, or read. This knows
 * which, for one thread.
 */
final class Bare {
  private Bare() {}

  /** Prepared on the server, as Leasehold's statements are. */
  static Client.Once sql(String url) {
    boolean isPostgres = Database.of(url) == Database.POSTGRESQL;
    Statements statements = new Statements(isPostgres ? url : url + "&useServerPrepStmts=true");
    statements.update(
        "CREATE TABLE IF NOT EXISTS bench_once (name VARCHAR(200) PRIMARY KEY, result BIGINT)");
    Set<String> seen = new HashSet<>();
    return key -> {
      boolean first = seen.add(key);
      require(
          first
              ? statements.update("INSERT INTO bench_once VALUES (?, 0)", key)
                  & statements.update("UPDATE bench_once SET result = 1 WHERE name = ?", key)
              : statements.ask("SELECT result FROM bench_once WHERE name = ?", key));
      return first;
    };
  }

  static Client.Once redis(String url) {
    Jedis jedis = new Jedis(URI.create(url));
    SetParams ifAbsent = SetParams.setParams().nx();
    Set<String> seen = new HashSet<>();
    return key -> {
      boolean first = seen.add(key);
      boolean answered =
          first
              ? jedis.set(key, "claim", ifAbsent) != null && jedis.set(key, "done") != null
              : "done".equals(jedis.get(key));
      require(answered ? 1 : 0);
      return first;
    };
  }

  private static void require(long one) {
    if (one != 1) {
      throw new IllegalStateException("it was not there");
    }
  }
}
