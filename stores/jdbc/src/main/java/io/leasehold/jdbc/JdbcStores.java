package io.leasehold.jdbc;

import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import javax.sql.DataSource;

/**
 * Stores in a database that the application already has a {@link DataSource} for: PostgreSQL,
 * MySQL, MariaDB or H2.
 *
 * <pre>{@code
 * LockClient locks = Leasehold.builder(JdbcStores.using(dataSource)).build();
 * }</pre>
 *
 * <p>The store keeps two connections of the pool for itself, from the opening of the client to its
 * end, and never asks for more: neither waiters nor an application that uses up its pool keep it
 * from renewing and releasing, and a caller that is within a transaction of that pool can take a
 * lock. So the pool must be larger by two than what the application uses; a pool that does not give
 * them is refused when the client is opened. A connection that ends is replaced. No request joins a
 * transaction of the application, and what is set on a connection (auto-commit, isolation, timeouts
 * of the session) is set back before the pool gets it again.
 *
 * <p>A pool that reports connections that are not given back (HikariCP's {@code
 * leakDetectionThreshold}) reports these two. All requests go over two connections: by URL there
 * are eight. Who waits is found out by polling, on PostgreSQL too: by URL there is a connection
 * that listens. Requests run on at most six threads of the store, for a pool's connections may be
 * ones that must not see an interrupt.
 *
 * <p>Immutable and thread-safe.
 */
public final class JdbcStores implements StoreFactory {
  private final DataSource source;
  private final String tables;
  private final ServerSchema.Care care;

  private JdbcStores(DataSource source, String tables, ServerSchema.Care care) {
    this.source = source;
    this.tables = tables;
    this.care = care;
  }

  /** In tables whose names begin with {@code leasehold}, which must be there. */
  public static JdbcStores using(DataSource source) {
    return new JdbcStores(source, Tables.DEFAULT, ServerSchema.Care.VALIDATE);
  }

  /**
   * In other tables.
   *
   * @param prefix what their names begin with, after a schema and a dot if there is one
   */
  public JdbcStores tables(String prefix) {
    return new JdbcStores(source, prefix, care);
  }

  /** Makes the tables if they are not there. */
  public JdbcStores createTables() {
    return new JdbcStores(source, tables, ServerSchema.Care.CREATE);
  }

  @Override
  public LockStore open(StoreListener listener) {
    return PoolStores.open(source, tables, care);
  }
}
