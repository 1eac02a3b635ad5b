/**
 * Distributed locks: {@link io.leasehold.Leasehold} opens a {@link io.leasehold.LockClient}, the
 * client hands out a {@link io.leasehold.DistributedLock} for a name, and acquiring it yields a
 * {@link io.leasehold.Lease}.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
