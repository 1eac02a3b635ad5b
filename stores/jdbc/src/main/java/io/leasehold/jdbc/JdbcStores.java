package io.leasehold.jdbc;

import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import javax.sql.DataSource;

/**
 * Opens stores over a {@link DataSource} of the application: PostgreSQL, MySQL, MariaDB or H2.
 *
 * <pre>{@code
 * LockClient locks = Leasehold.builder(JdbcStores.using(dataSource)).build();
 * }</pre>
 *
 * <p>The store takes two connections of the pool when the client opens, keeps them until it closes,
 * and never asks for more. So neither waiters nor an application that uses up its pool can stop
 * renewals and releases, and a caller inside a transaction of that pool can acquire a lock. Make
 * the pool larger by two than the application needs; if the pool does not give the two connections,
 * the client does not open. A connection that breaks is replaced. No request joins a transaction of
 * the application, and settings of a connection (auto-commit, isolation, timeouts of the session)
 * are restored before the pool gets it back.
 *
 * <p>A pool that reports leaked connections (HikariCP's {@code leakDetectionThreshold}) reports
 * these two. All requests share two connections; a store that is opened by URL has eight. Waiters
 * are polled, on PostgreSQL too; a store that is opened by URL listens for notifications there.
 * Requests run on at most six threads of the store, because some drivers break a connection when
 * its thread is interrupted.
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

  /** A store in tables whose names begin with {@code leasehold}; the tables must exist. */
  public static JdbcStores using(DataSource source) {
    return new JdbcStores(source, Tables.DEFAULT, ServerSchema.Care.VALIDATE);
  }

  /**
   * The same store in other tables.
   *
   * @param prefix the prefix of the table names, with a schema and a dot before it if there is one
   */
  public JdbcStores tables(String prefix) {
    return new JdbcStores(source, prefix, care);
  }

  /** The same store, which creates its tables if they do not exist. */
  public JdbcStores createTables() {
    return new JdbcStores(source, tables, ServerSchema.Care.CREATE);
  }

  @Override
  public LockStore open(StoreListener listener) {
    return PoolStores.open(source, tables, care);
  }
}
