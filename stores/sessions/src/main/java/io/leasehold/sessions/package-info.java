/**
 * The lock of the stores that keep entries for as long as the session of their client lives, and
 * number them in the order of their creation: ZooKeeper, etcd, Consul. An adapter implements {@link
 * io.leasehold.sessions.EntryStore} and {@link io.leasehold.sessions.Session}; {@link
 * io.leasehold.sessions.SessionLockStore} makes a lock store of it.
 *
 * <p>Each acquisition makes one entry under its lock name. The entries before it decide whether it
 * holds the lock, so the store grants in the order of arrival, and no entry is ever written to
 * grant a lock. The recipe is that of the ZooKeeper project, "Locks" and "Shared Locks", with its
 * herd of watchers avoided for permits too.
 */
@NullMarked
package io.leasehold.sessions;

import org.jspecify.annotations.NullMarked;
