package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.spi.LockStore;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A holder is in a guarded transaction: others find the lock held, as without it. */
class GuardedTransactionTest extends ServerTest {
  /** Counts connections. */
  private static final class Opened implements StatementHook {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void opened(Connection connection) {
      count.incrementAndGet();
    }

    @Override
    public void before(String sql) {}

    @Override
    public void after(String sql) {}
  }

  private Lease guarded(Engine client, Connection connection) throws Exception {
    Lease held = client.lock("a").acquire();
    FencedWrites.inTables(tables()).guard(connection, held);
    return held;
  }

  @ParameterizedTest
  @EnumSource
  void aTryIsAnsweredBusyAndKeepsItsConnection(SqlDatabase database) throws Exception {
    Engine client = clientAt(database.url(), how -> how);
    Opened opened = new Opened();
    Engine other = client(hooked(database.url(), opened), how -> how);
    try (Connection connection = database.begin()) {
      Lease held = guarded(client, connection);
      int before = opened.count.get();
      assertThat(other.lock("a").tryAcquire()).isEmpty();
      assertThat(other.readWriteLock("a").readLock().tryAcquire()).isEmpty();
      assertThat(opened.count).hasValue(before);
      connection.commit();
      held.release();
    }
    requireSoon(other.lock("a"));
  }

  @ParameterizedTest
  @EnumSource
  void waitersWaitAndAreServedAfterIt(SqlDatabase database) throws Exception {
    Engine client = clientAt(database.url(), how -> how);
    Engine fair = clientAt(database.url(), how -> how);
    Engine reading = clientAt(database.url(), how -> how);
    List<CompletableFuture<Lease>> waiters;
    try (Connection connection = database.begin()) {
      Lease held = guarded(client, connection);
      Engine unfair = clientAt(database.url(), how -> how);
      waiters =
          List.of(
              beginToWait(unfair, "a", client),
              beginToWait(fair, fair.lock("a").with(LockOptions.defaults().fair()), client),
              beginToWait(reading, reading.readWriteLock("a").readLock(), client));
      CompletableFuture<Lease> givesUp =
          beginToWait(unfair, unfair.lock("a").with(LockOptions.defaults().fair()), client);
      assertThat(givesUp.cancel(true)).isTrue();
      assertThat(waiters).noneMatch(CompletableFuture::isDone);
      connection.commit();
      held.release();
    }
    List<CompletableFuture<Void>> released =
        waiters.stream().map(waiter -> waiter.thenAccept(Lease::release)).toList();
    assertThat(released).allSatisfy(end -> assertThat(end).succeedsWithin(PATIENCE));
    requireNothingLeft(fair);
    LockStore store = closed(hooked(database.url(), StatementHook.NONE).open(NOBODY));
    Fixture.granted(store, Fixture.fair(Fixture.queue("a")));
  }
}
