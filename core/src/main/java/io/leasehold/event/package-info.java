/**
 * What a {@link io.leasehold.event.LockListener} is told: sealed records, one for each thing that
 * happens to a lease.
 */
@NullMarked
package io.leasehold.event;

import org.jspecify.annotations.NullMarked;
