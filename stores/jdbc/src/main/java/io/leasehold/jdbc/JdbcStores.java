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
 * <p>Takes a connection for each request and gives it back at once, also while a caller waits for a
 * lock: a pool of two is enough. No request joins a transaction of the application. Who waits is
 * found out by polling, on PostgreSQL too: by URL there is a connection that listens. Requests run
 * on at most six threads of the store, since nobody knows how long a pool takes.
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
    return ServerStores.open(source, tables, care);
  }
}
