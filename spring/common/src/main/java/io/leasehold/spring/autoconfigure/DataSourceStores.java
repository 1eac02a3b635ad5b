package io.leasehold.spring.autoconfigure;

import io.leasehold.Leasehold;
import io.leasehold.jdbc.JdbcStores;
import javax.sql.DataSource;

/** Locks in the tables of a pool of the application. */
final class DataSourceStores extends StoreBeans<DataSource> {
  DataSourceStores() {
    super(DataSource.class);
  }

  @Override
  String what() {
    return "a DataSource";
  }

  @Override
  String limits() {
    return "there is not exactly one DataSource";
  }

  @Override
  OpenableStore in(DataSource pool, LeaseholdProperties settings) {
    JdbcStores store = JdbcStores.using(pool);
    if (settings.prefix() != null) {
      store = store.tables(settings.prefix());
    }
    return new OpenableStore(
        Leasehold.builder(settings.createTables() ? store.createTables() : store));
  }
}
