package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** Many keys are over and deleted, while claims go on in the same tables. */
class PurgeTest {
  private static final Duration WITHIN = Duration.ofMinutes(1);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int BATCH = 1_000;
  private static final int CLAIMERS = 3;
  private static final int LEAST_POWER = 14;

  private static final String COLUMNS =
      "owner, fence, fingerprint, taken_over, epoch, expires, kept_until, kind, result";

  @TempDir Path dir;

  private final ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS);
  private final AtomicInteger claims = new AtomicInteger();
  private volatile boolean over;

  @AfterEach
  void close() {
    over = true;
    threads.shutdown();
  }

  @ParameterizedTest
  @EnumSource
  void manyKeysArePurgedInBatchesWhileClaimsGoOn(Databases database) throws Exception {
    purge(database, LEAST_POWER);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("slow")
  void aMillionKeysArePurgedInBatchesWhileClaimsGoOn(Databases database) throws Exception {
    purge(database, 19);
  }

  /** As many claims and as many marks: two to this power. */
  private void purge(Databases database, int power) throws Exception {
    int many = 1 << power;
    String tables = Databases.newTables();
    String url = database.storeUrl(dir, tables);
    try (IdempotencyStore purger = IdempotencyStores.open(url);
        IdempotencyStore store = IdempotencyStores.open(url);
        Connection connection = DriverManager.getConnection(database.url(dir))) {
      end(purger, "gone");
      purger.mark("gone", Duration.ofMillis(1), WITHIN);
      String prefix = database.prefix(tables);
      for (int i = 0; i < power; i++) {
        copy(connection, prefix + "_claim", COLUMNS, i);
        copy(connection, prefix + "_mark", "times, kept_until", i);
      }
      List<Future<Integer>> claimers = claim(store, "gone");
      int deleted = 0;
      int batches = 0;
      for (int some = -1; some != 0; batches++) {
        some = purger.purge(BATCH, WITHIN);
        assertThat(some).isLessThanOrEqualTo(2 * BATCH);
        deleted += some;
      }
      over = true;
      int revived = 0;
      for (Future<Integer> claimer : claimers) {
        revived += claimer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      assertThat(batches).isGreaterThan(many / BATCH);
      assertThat(deleted).isLessThanOrEqualTo(2 * many);
      assertThat(count(connection, prefix + "_mark")).isZero();
      // Of the new ones none was taken, and of the old ones none is left but what was claimed anew
      assertThat(count(connection, prefix + "_claim")).isEqualTo(revived);
    }
  }

  /** Of an application: it may take long to end. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void aPurgePassesByWhatATransactionHas(Databases database) throws Exception {
    String tables = Databases.newTables();
    try (IdempotencyStore store = IdempotencyStores.open(database.storeUrl(dir, tables));
        Connection connection = database.begin(dir)) {
      TransactionalOperation<String> operation =
          TransactionalOperation.of("order", Codec.TEXT).tables(tables);
      Key key = Key.of("key 3");
      for (int i = 0; i < 6; i++) {
        end(store, Key.of("key " + i).scoped("order", false));
      }
      operation.execute(connection, key, Fingerprint.none(), claim -> "claimed anew");
      assertThat(store.purge(BATCH, WITHIN)).isEqualTo(5);
      connection.commit();
      assertThat(store.purge(BATCH, WITHIN)).isZero();
      assertThat(operation.execute(connection, key, Fingerprint.none(), claim -> "not done"))
          .isEqualTo("claimed anew");
    }
  }

  @Test
  void keysOfRedisEndByThemselvesWhileClaimsGoOn() throws Exception {
    endInRedis(50_000);
  }

  @Test
  @Tag("slow")
  void aMillionKeysOfRedisEndByThemselvesWhileClaimsGoOn() throws Exception {
    endInRedis(1_000_000);
  }

  private void endInRedis(int many) throws Exception {
    String prefix = "leasehold:";
    // A private server: all of its keys are counted
    try (RedisServer server = RedisServer.of(Kind.REDIS_7_0).start();
        IdempotencyStore store = IdempotencyStores.open(server.url() + "?prefix=" + prefix);
        RedisClient client = RedisClient.create(server.host(), server.port())) {
      done(store, "gone", LONG);
      store.mark("gone", LONG, WITHIN);
      long before = client.dbSize();
      for (String seed : List.of(prefix + "claim:gone", prefix + "mark:gone")) {
        // A copy has the life of what it was copied from
        each(client, seed, many / 2, "redis.call('COPY', KEYS[1], KEYS[1] .. i)");
        assertThat(client.pttl(seed + many / 2)).isPositive();
      }
      assertThat(client.dbSize()).isEqualTo(before + many);
      List<Future<Integer>> claimers = claim(store, "gone");
      for (String seed : List.of(prefix + "claim:gone", prefix + "mark:gone")) {
        each(client, seed, many / 2, "redis.call('PEXPIRE', KEYS[1] .. i, 1)");
      }
      // By the server's own doing: none of them is asked for, and a purge asks nothing
      await().atMost(PATIENCE).until(() -> client.dbSize() < before + claims.get() + BATCH);
      assertThat(store.purge(BATCH, WITHIN)).isZero();
      over = true;
      int claimed = 0;
      for (Future<Integer> claimer : claimers) {
        claimed += claimer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      long expected = before + claimed;
      await().atMost(PATIENCE).until(() -> client.dbSize() == expected);
    }
  }

  /** Some thousand at a time: a script holds up all others. */
  private static void each(RedisClient client, String key, int many, String command) {
    String script = "for i = ARGV[1], ARGV[2] do " + command + " end";
    for (int i = 1; i <= many; i += 2 * BATCH) {
      int last = Math.min(many, i + 2 * BATCH - 1);
      client.eval(script, List.of(key), List.of("" + i, "" + last));
    }
  }

  /** Doubles what is over. */
  private static void copy(Connection connection, String table, String columns, int step)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String quoted = quoted(connection, table);
      statement.executeUpdate(
          String.format(
              Locale.ROOT,
              "INSERT INTO %s (name, %s) SELECT CONCAT(name, '-%d'), %s FROM %s",
              quoted,
              columns,
              step,
              columns,
              quoted));
    }
  }

  private static String quoted(Connection connection, String table) throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    return quote + table + quote;
  }

  private static int count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(*) FROM " + quoted(connection, table))) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  /** Threads that claim until it is over; each answers with the number of its keys. */
  private List<Future<Integer>> claim(IdempotencyStore store, String gone) {
    List<Future<Integer>> claimers = new ArrayList<>();
    for (int i = 0; i < CLAIMERS; i++) {
      int number = i;
      claimers.add(threads.submit(() -> claimUntilOver(store, gone, number)));
    }
    await().atMost(PATIENCE).until(() -> claims.get() >= 2 * CLAIMERS || failed(claimers));
    return claimers;
  }

  private static boolean failed(List<Future<Integer>> claimers) {
    return claimers.stream().anyMatch(Future::isDone);
  }

  /** New keys, and in turn with them some that are over and may be purged at that moment. */
  private int claimUntilOver(IdempotencyStore store, String gone, int number) {
    Deque<String> old = copies(gone + "-" + number, number + 1);
    int keys = 0;
    while (!over) {
      boolean isNew = keys % 2 == 0 || old.isEmpty();
      done(store, isNew ? UUID.randomUUID().toString() : old.remove(), LONG);
      keys++;
      claims.incrementAndGet();
    }
    return keys;
  }

  /** Some of those that {@link #copy} made: a number for each step in which a name was made. */
  private static Deque<String> copies(String of, int from) {
    Deque<String> names = new ArrayDeque<>();
    for (int i = from; i < LEAST_POWER; i++) {
      for (int j = i + 1; j < LEAST_POWER; j++) {
        names.add(of + "-" + i + "-" + j);
      }
    }
    return names;
  }

  private static void done(IdempotencyStore store, String key, Duration keep) {
    String owner = UUID.randomUUID().toString().replace("-", "");
    ClaimAnswer answer =
        store.claim(new ClaimRequest(key, owner, "f", Intent.CLAIM, LONG, keep), WITHIN);
    assertThat(answer).isInstanceOf(Claimed.class);
    ClaimId id = new ClaimId(key, owner, ((Claimed) answer).token());
    assertThat(store.complete(id, new Outcome(Outcome.Kind.VALUE, new byte[3]), keep, WITHIN))
        .isTrue();
  }

  /**
   * It is kept for a millisecond, which is over then: the servers have the clock of this machine.
   */
  private static void end(IdempotencyStore store, String key) {
    done(store, key, Duration.ofMillis(1));
    long over = System.currentTimeMillis() + 2;
    while (System.currentTimeMillis() < over) {
      Thread.onSpinWait();
    }
  }
}
