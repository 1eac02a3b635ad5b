package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.internal.SystemClock;
import io.leasehold.internal.Threads;
import io.leasehold.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Opens stores on connections of an application's pool, which may keep us waiting. */
final class PoolStores {
  private final DataSource pool;
  private final String prefix;
  private final ServerSchema.Care care;
  private final Threads threads = new Threads();

  /** How many connections it gave. */
  private final AtomicInteger given = new AtomicInteger();

  private PoolStores(DataSource pool, String prefix, ServerSchema.Care care) {
    this.pool = pool;
    this.prefix = prefix;
    this.care = care;
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the pool does not give the connections that the store keeps
   */
  static LockStore open(DataSource pool, String prefix, ServerSchema.Care care) {
    return new PoolStores(pool, prefix, care).open();
  }

  private LockStore open() {
    CompletableFuture<LockStore> opening = new CompletableFuture<>();
    threads.request(() -> complete(opening));
    try {
      return opening.get(ServerStores.OPENING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      threads.close();
      throw e.getCause() instanceof RuntimeException why ? why : tooFew(e.getCause());
    } catch (TimeoutException e) {
      throw late(opening, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw late(opening, e);
    }
  }

  private void complete(CompletableFuture<LockStore> opening) {
    try {
      LockStore store = opened();
      if (!opening.complete(store)) {
        store.close();
      }
    } catch (RuntimeException | Error e) {
      opening.completeExceptionally(e);
    }
  }

  /** The store is closed as soon as it is there, if it comes at all. */
  private RuntimeException late(CompletableFuture<LockStore> opening, Exception e) {
    StoreException why = tooFew(e);
    opening.completeExceptionally(why);
    threads.close();
    return why;
  }

  private LockStore opened() {
    Connection first = next();
    Dialect dialect;
    ServerErrors errors;
    try {
      dialect = ServerStores.dialect(first, prefix);
      errors = new ServerErrors(first.getMetaData().getDatabaseProductName(), dialect);
    } catch (SQLException | RuntimeException e) {
      giveBack(first);
      throw e instanceof RuntimeException why ? why : tooFew(e);
    }
    Tables tables = new Tables(dialect, prefix);
    Clock clock = new SystemClock();
    LentConnections source = new LentConnections(pool, dialect, errors, tables, clock);
    OwnLanes lanes = new OwnLanes(source, dialect, errors, clock, threads, LentConnections.KEPT);
    try {
      lanes.add(source.prepared(first));
      while (given.get() < LentConnections.KEPT) {
        lanes.add(source.prepared(next()));
      }
    } catch (SQLException | RuntimeException e) {
      lanes.close();
      throw e instanceof SQLException why ? errors.notConnected(why) : (RuntimeException) e;
    }
    return new ServerStores.Opening(dialect, tables, errors, lanes, Wakes.NONE, clock, threads)
        .store(care, true);
  }

  private Connection next() {
    try {
      Connection connection = pool.getConnection();
      given.incrementAndGet();
      return connection;
    } catch (SQLException e) {
      if (given.get() > 0) {
        throw tooFew(e);
      }
      throw new ServerErrors("the data source", new H2Dialect()).notConnected(e);
    }
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      System.getLogger(PoolStores.class.getName())
          .log(System.Logger.Level.DEBUG, "a connection was not given back well", e);
    }
  }

  /** One that gives some and not all is too small, or used up for long. */
  private StoreException tooFew(Throwable cause) {
    int kept = LentConnections.KEPT;
    String reason = cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
    return new StoreException(
        given.get() > 0 ? Failure.REFUSED : Failure.UNAVAILABLE,
        "the data source gave "
            + given
            + " connections"
            + reason
            + ", but the store keeps "
            + kept
            + " for itself: raise the size of its pool to what the application uses and "
            + kept
            + " more, or find who keeps its connections",
        cause);
  }
}
