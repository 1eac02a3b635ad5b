package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;

/** Opens stores on connections of an application's pool, which may keep us waiting. */
final class PoolStores {
  /** What goes wrong before it is known which database it is. */
  private static final ServerErrors UNKNOWN = new ServerErrors("the data source", new H2Dialect());

  private final DataSource pool;
  private final String prefix;
  private final Threads threads = new Threads();

  /** How many connections it gave. */
  private final AtomicInteger given = new AtomicInteger();

  private PoolStores(DataSource pool, String prefix) {
    this.pool = pool;
    this.prefix = prefix;
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the pool does not give the connections that the store keeps
   */
  static LockStore open(DataSource pool, String prefix, ServerSchema.Care care) {
    return open(pool, prefix, opening -> opening.store(care, Wakes.NONE, true), LockStore::close);
  }

  /** Opens something on them. */
  static <S> S open(
      DataSource pool, String prefix, Function<ServerStores.Opening, S> store, Consumer<S> close) {
    PoolStores stores = new PoolStores(pool, prefix);
    return TimelyOpening.open(
        stores.threads,
        TimelyOpening.LONGEST,
        () -> store.apply(stores.opened()),
        close,
        stores::tooFew);
  }

  private ServerStores.Opening opened() {
    Connection first = next();
    Dialect dialect;
    ServerErrors errors;
    try {
      dialect = ServerStores.dialect(first, prefix);
      errors = new ServerErrors(first.getMetaData().getDatabaseProductName(), dialect);
    } catch (SQLException e) {
      giveBack(first);
      throw UNKNOWN.notConnected(e);
    } catch (RuntimeException | Error e) {
      giveBack(first);
      throw e;
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
    } catch (SQLException e) {
      lanes.close();
      throw errors.notConnected(e);
    } catch (RuntimeException | Error e) {
      lanes.close();
      throw e;
    }
    return new ServerStores.Opening(dialect, tables, errors, lanes, source, clock, threads);
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
      throw UNKNOWN.notConnected(e);
    }
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      Log.debug("a connection was not given back well", e);
    }
  }

  /** One that gives some and not all is too small, or used up for long. */
  private StoreException tooFew(Throwable cause) {
    int kept = LentConnections.KEPT;
    String reason = cause instanceof SQLException ? " (" + ServerErrors.reason(cause) + ")" : "";
    return new StoreException(
        given.get() > 0 ? Failure.REFUSED : Failure.UNAVAILABLE,
        "the data source gave "
            + given
            + (given.get() == 1 ? " connection" : " connections")
            + reason
            + ", but the store keeps "
            + kept
            + " for itself: raise the size of its pool to what the application uses and "
            + kept
            + " more, or find who keeps its connections",
        cause);
  }
}
