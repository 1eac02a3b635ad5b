/**
 * Distributed locks: {@link io.leasehold.Leasehold} opens a {@link io.leasehold.LockClient}, the
 * client returns a {@link io.leasehold.DistributedLock} for a name, and acquiring the lock returns
 * a {@link io.leasehold.Lease}.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
