/**
 * The interface that a store of the idempotency toolkit implements: {@link
 * io.leasehold.idempotency.spi.IdempotencyStore}, a handful of atomic verbs on claims and marks. A
 * store does not wait, send heartbeats, apply policies or encode results: the toolkit does that for
 * every store.
 */
@NullMarked
package io.leasehold.idempotency.spi;

import org.jspecify.annotations.NullMarked;
