/**
 * Leases kept as rows of a relational database, and of a SQLite file. {@link
 * io.leasehold.jdbc.JdbcStoreProvider} opens one from a URL, {@link io.leasehold.jdbc.JdbcStores}
 * from a {@code DataSource}.
 *
 * <ul>
 *   <li>Every store: {@code LeaseRowStore} is the SPI over {@code Verbs} (the requests) and {@code
 *       Wakes} (the wake-ups); {@code Session}, {@code NamedStatements} and {@code Limit} send
 *       statements in bounded time.
 *   <li>A SQLite file: {@code Sqlite*}, {@code HostClock}.
 *   <li>Rows on a server: {@code Server*}; the statements in {@code LeaseTable}, {@code QueueTable}
 *       and {@code RenewalTable}, the rules in {@code Admission}, the differences between databases
 *       in {@code *Dialect}, connections in {@code *Lanes}, notifications in {@code PostgresWakes}.
 *   <li>{@code mode=session}: {@code Session*} (but {@code Session}), {@code LockSession*}, {@code
 *       LeftRows}; the servers' own locks in {@code *NamedLocks} and {@code PostgresAdvisoryLocks},
 *       their queue in {@code NamedLockQueue}.
 *   <li>In the caller's transaction: {@link io.leasehold.jdbc.TransactionLocks}, {@link
 *       io.leasehold.jdbc.FencedWrites}.
 * </ul>
 */
@NullMarked
package io.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
