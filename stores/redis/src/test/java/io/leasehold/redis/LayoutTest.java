package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.DeafListener;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Processes of several versions agree on the names of the keys. */
class LayoutTest extends ServerTest {
  /** As 0.1 has them: the bucket of "a" is number 67. */
  private static final String OLD_BUCKET = "{67}:";

  private static final String ID = "0123456789abcdef0123456789abcdef";

  LayoutTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  private String get(String key) {
    return String.valueOf(server.command("GET", prefix() + key));
  }

  private void set(String key, String value) {
    assertThat(server.command("SET", prefix() + key, value)).isEqualTo("OK");
  }

  private boolean exists(String key) {
    return Long.valueOf(1).equals(server.command("EXISTS", prefix() + key));
  }

  // ---- the tags

  @ParameterizedTest
  @ValueSource(ints = {3, 16, 64, 256})
  void bucketsAreSpreadEvenlyOverShards(int shards) {
    int[] buckets = new int[shards];
    for (int bucket = 0; bucket < Layout.BUCKETS; bucket++) {
      int slot = JedisClusterCRC16.getSlot("x:{" + Layout.EVEN.tag(bucket) + "}:name:a");
      assertThat(slot).isEqualTo(Layout.slot(Layout.EVEN.tag(bucket)));
      buckets[(int) ((long) slot * shards / Layout.SLOTS)]++;
    }
    int fewest = Arrays.stream(buckets).min().orElseThrow();
    int most = Arrays.stream(buckets).max().orElseThrow();
    assertThat(most - fewest).isLessThanOrEqualTo(Layout.BUCKETS % shards == 0 ? 0 : 1);
  }

  /** They are part of the protocol: others would be another layout. */
  @Test
  void theTagsAreTheSameForever() {
    List<String> all = IntStream.range(0, Layout.BUCKETS).mapToObj(Layout.EVEN::tag).toList();
    assertThat(new HashSet<>(all)).hasSize(Layout.BUCKETS);
    assertThat(all.subList(0, 4)).containsExactly("a3a", "agp", "a3e", "agt");
    assertThat(Script.sha1(String.join(",", all)))
        .isEqualTo("66734a7ae1e7a808c57addd10de9bd6321973bd3");
    assertThat(Command.text(new Keys("x:").of("a").order()))
        .isEqualTo("x:{" + Layout.EVEN.tag(67) + "}:order:a");
  }

  // ---- which layout

  @Test
  void aFreshPrefixGetsTheNewest() throws Exception {
    client().lock("a").acquire().release();
    assertThat(get("layout")).isEqualTo("2");
    assertThat(exists("{" + Layout.EVEN.tag(67) + "}:number")).isTrue();
    assertThat(exists(OLD_BUCKET + "number")).isFalse();
  }

  /** Once for the prefix, and then once for each client; none for a lock. */
  @Test
  void whatItCosts() throws Exception {
    CommandCounts first = CommandCounts.from(server);
    Engine one = client();
    assertThat(first.of("evalsha")).isEqualTo(2);
    assertThat(first.of("exists")).isEqualTo(1);
    CommandCounts later = CommandCounts.from(server);
    Engine other = client();
    assertThat(later.of("evalsha")).isEqualTo(1);
    assertThat(later.of("exists")).isZero();
    CommandCounts locks = CommandCounts.from(server);
    for (int i = 0; i < 10; i++) {
      one.lock("a").acquire().release();
      other.lock("b").acquire().release();
    }
    assertThat(locks.of("evalsha")).isEqualTo(40);
  }

  @Test
  void anOldProcessAndANewOneExcludeEachOther() throws Exception {
    set(OLD_BUCKET + "number", "1700000000000000");
    set(OLD_BUCKET + "name:a", "x1700000000000000 " + ID + " old");
    server.command("PEXPIRE", prefix() + OLD_BUCKET + "name:a", "600000");
    Engine client = client();
    assertThat(get("layout")).isEqualTo("1");
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client);
    assertThat(exists(OLD_BUCKET + "waiters:a")).isTrue();
    long token = client.lock("a").inspect().orElseThrow().holders().get(0).fencingToken();
    assertThat(client.lock("a").breakLease(token)).isTrue();
    Lease lease = served(waiter);
    assertThat(exists(OLD_BUCKET + "name:a")).isTrue();
    assertThat(lease.fencingToken()).isGreaterThan(token);
    lease.release();
    assertThat(exists(OLD_BUCKET + "name:a")).isFalse();
    // Also in buckets that no old process has used
    for (int i = 0; i < 20; i++) {
      client.lock("name-" + i).acquire().release();
    }
    List<?> even = (List<?>) server.command("KEYS", prefix() + "{[a-z]*}:*");
    assertThat(even).isEmpty();
    requireNothingLeft(client);
  }

  /** It looked for old keys, found none, and then another process was faster. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void twoThatStartAtOnceAgree(String faster) throws Exception {
    Supplier<Wire> wires =
        () ->
            new FakeServer(new JedisWire(connections(), new SystemClock())) {
              @Override
              Object answer(Command command) {
                Object answer = super.answer(command);
                if (command.name() == Command.Name.EXISTS) {
                  set("layout", faster);
                }
                return answer;
              }
            };
    Keys keys = new Keys(prefix());
    open(wires.get(), keys).close();
    assertThat(get("layout")).isEqualTo(faster);
    assertThat(keys.layout().version()).isEqualTo(Integer.parseInt(faster));
  }

  @Test
  void manyThatStartAtOnceAgree() throws Exception {
    List<CompletableFuture<Keys>> opened =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          Keys keys = new Keys(prefix());
                          open(new JedisWire(connections(), new SystemClock()), keys).close();
                          return keys;
                        }))
            .toList();
    for (CompletableFuture<Keys> each : opened) {
      assertThat(each).succeedsWithin(PATIENCE);
      assertThat(each.join().layout()).isEqualTo(Layout.EVEN);
    }
  }

  private Connections connections() {
    return ServerAddress.of(
        StoreUrl.parse(server.url() + "?prefix=" + prefix()), Map.of(), Set.of());
  }

  private static LockStore open(Wire wire, Keys keys) {
    return RedisStore.open(wire, keys, Optional.empty(), new SystemClock(), new DeafListener());
  }

  @Test
  void aNewerLayoutIsRefused() {
    set("layout", "3");
    assertThatThrownBy(this::client)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("'" + prefix() + "'")
        .hasMessageContaining("have layout 3")
        .hasMessageContaining("no layout after 2")
        .hasMessageContaining("update it");
  }

  @Test
  void somethingElseUnderTheKeyIsRefusedAndKept() {
    server.command("RPUSH", prefix() + "layout", "1");
    assertThatThrownBy(this::client)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("holds something else");
    assertThat(server.command("LLEN", prefix() + "layout")).isEqualTo(1L);
  }

  // ---- a server that forgets

  /** A running client with the old keys learns what a new one chose after that. */
  @Test
  void afterAFlushTheOldKeysAreNotTakenAgainUnasked() throws Exception {
    set(OLD_BUCKET + "number", "1");
    Engine client = client();
    client.lock("a").acquire().release();
    Lease forgotten = client.lock("b").acquire();
    server.command("FLUSHALL");
    Engine newer = client();
    assertThat(get("layout")).isEqualTo("2");
    Lease held = newer.lock("a").acquire();
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client);
    held.release();
    served(waiter).release();
    assertThatThrownBy(() -> renew(forgotten)).isInstanceOf(LeaseLostException.class);
    newer.lock("b").acquire(PATIENCE).release();
    requireNothingLeft(client);
  }

  @Test
  void afterAFlushWhoIsFirstDecides() throws Exception {
    set(OLD_BUCKET + "number", "1");
    Engine client = client();
    server.command("FLUSHALL");
    Lease held = client.lock("a").acquire();
    assertThat(get("layout")).isEqualTo("1");
    assertThat(client().lock("a").tryAcquire()).isEmpty();
    held.release();
  }

  /** One may look at a server that does not write, and lock as soon as it does. */
  @Test
  void whatCannotBeRecordedNowIsRecordedByTheFirstLock() throws Exception {
    server.command("CONFIG", "SET", "min-replicas-to-write", "1");
    Engine client;
    try {
      client = client();
      assertThatThrownBy(() -> client.lock("a").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE));
      assertThat(client.list()).isEmpty();
    } finally {
      server.command("CONFIG", "SET", "min-replicas-to-write", "0");
    }
    client.lock("a").acquire().release();
    assertThat(get("layout")).isEqualTo("2");
    await().atMost(PATIENCE).until(() -> client.ledger().isZero());
  }
}
