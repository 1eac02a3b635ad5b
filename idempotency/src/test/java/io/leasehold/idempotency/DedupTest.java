package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class DedupTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path dir;

  private final String tables = Databases.newTables();

  @Test
  void aKeyIsNewOnceInAWindow() {
    ManualClock clock = new ManualClock();
    Dedup dedup = Dedup.on(new InMemoryIdempotencyStore(clock), "topic", HOUR);
    assertThat(dedup.firstTime("a")).isTrue();
    assertThat(dedup.firstTime("a")).isFalse();
    assertThat(dedup.filterNew(List.of("b", "a", "c", "b"))).containsExactly("b", "c");
    assertThat(dedup.filterNew(List.of("b", "c"))).isEmpty();
    assertThat(dedup.forget("b")).isTrue();
    assertThat(dedup.firstTime("b")).isTrue();
    clock.advance(HOUR);
    assertThat(dedup.filterNew(List.of("a", "b", "c"))).containsExactly("a", "b", "c");
  }

  private TransactionalDedup dedup(Databases database) {
    IdempotencyStores.open(database.storeUrl(dir, tables)).close();
    return TransactionalDedup.of("topic", HOUR).tables(database.prefix(tables));
  }

  @ParameterizedTest
  @EnumSource
  void aMarkGoesWithItsTransaction(Databases database) throws SQLException {
    TransactionalDedup dedup = dedup(database);
    try (Connection connection = database.begin(dir)) {
      assertThat(dedup.firstTime(connection, "a")).isTrue();
      assertThat(dedup.firstTime(connection, "a")).isFalse();
      connection.rollback();
      assertThat(dedup.firstTime(connection, "a")).isTrue();
      connection.commit();
      assertThat(dedup.firstTime(connection, "a")).isFalse();
      assertThat(dedup.tryFirstTime(connection, "a")).contains(false);
      assertThat(dedup.tryFirstTime(connection, "b")).contains(true);
      connection.commit();
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> dedup.firstTime(connection, "c"))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /** The transaction goes on. */
  @ParameterizedTest
  @EnumSource(names = "SQLITE", mode = Mode.EXCLUDE)
  void aTryDoesNotWaitForATwin(Databases database) throws SQLException {
    TransactionalDedup dedup = dedup(database);
    try (Connection first = database.begin(dir);
        Connection second = database.begin(dir)) {
      assertThat(dedup.firstTime(first, "a")).isTrue();
      assertThat(dedup.firstTime(second, "b")).isTrue();
      assertThat(dedup.tryFirstTime(second, "a")).isEmpty();
      second.commit();
      first.commit();
      assertThat(dedup.tryFirstTime(second, "a")).contains(false);
      assertThat(dedup.firstTime(second, "b")).isFalse();
    }
  }

  /** Claims and marks are made while others are deleted beside them. */
  @ParameterizedTest
  @EnumSource
  void isPurgedWhileInUse(Databases database) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    AtomicBoolean ends = new AtomicBoolean();
    CountDownLatch purging = new CountDownLatch(1);
    try (IdempotencyStore store = IdempotencyStores.open(database.storeUrl(dir, tables));
        Idempotency idempotency = Idempotency.connect(database.storeUrl(dir, tables))) {
      Future<Long> purged =
          thread.submit(
              () -> {
                long all = 0;
                while (!ends.get()) {
                  all += idempotency.purge(7);
                  purging.countDown();
                }
                return all + idempotency.purge(7);
              });
      assertThat(purging.await(30, TimeUnit.SECONDS)).isTrue();
      Dedup brief = Dedup.on(store, "brief", Duration.ofMillis(1));
      Dedup lasting = Dedup.on(store, "lasting", HOUR);
      IdempotentOperation<String> over =
          idempotency.operation("over", Codec.TEXT).keep(Duration.ofMillis(1));
      IdempotentOperation<String> kept = idempotency.operation("kept", Codec.TEXT);
      for (int i = 0; i < 100; i++) {
        String key = "key " + i;
        assertThat(brief.firstTime(key)).isTrue();
        assertThat(lasting.firstTime(key)).isTrue();
        // A key whose result is over at once, and that is claimed anew while it is deleted
        assertThat(over.execute(Key.of("again"), Fingerprint.none(), claim -> key)).isNotNull();
        assertThat(
                kept.execute(
                    Key.of(key),
                    Fingerprint.none(),
                    claim -> {
                      assertThat(claim.isHeld()).isTrue();
                      return key;
                    }))
            .isEqualTo(key);
      }
      ends.set(true);
      assertThat(purged.get(60, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(90);
      for (int i = 0; i < 100; i++) {
        String key = "key " + i;
        assertThat(lasting.firstTime(key)).isFalse();
        assertThat(kept.execute(Key.of(key), Fingerprint.none(), claim -> "again")).isEqualTo(key);
      }
    } finally {
      thread.shutdown();
    }
  }
}
