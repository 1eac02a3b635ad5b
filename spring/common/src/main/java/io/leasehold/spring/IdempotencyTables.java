package io.leasehold.spring;

import javax.sql.DataSource;

/**
 * The tables in which the results of {@link Idempotent} methods are kept, in a database of the
 * application: transactions on it commit them together with the work. The starter makes one if the
 * locks are in a {@code DataSource} of the application. A bean of this type keeps the results
 * there, wherever the locks are.
 *
 * @param pool the database
 * @param prefix what the names of the tables begin with, with a schema and a dot before it if there
 *     is one
 * @param create whether to create missing tables
 */
public record IdempotencyTables(DataSource pool, String prefix, boolean create) {
  /** The tables that begin with {@code leasehold}, which must exist. */
  public static IdempotencyTables in(DataSource pool) {
    return new IdempotencyTables(pool, "leasehold", false);
  }
}
