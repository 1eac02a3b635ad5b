/**
 * The events that a {@link io.leasehold.event.LockListener} receives: one sealed record for each
 * kind.
 */
@NullMarked
package io.leasehold.event;

import org.jspecify.annotations.NullMarked;
