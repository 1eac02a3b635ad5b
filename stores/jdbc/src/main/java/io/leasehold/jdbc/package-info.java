/**
 * Leases kept as rows of a relational database, and of a SQLite file. {@link
 * io.leasehold.jdbc.JdbcStoreProvider} opens one from a URL.
 */
@NullMarked
package io.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
