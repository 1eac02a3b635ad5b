/**
 * What a store of the idempotency toolkit implements: {@link
 * io.leasehold.idempotency.spi.IdempotencyStore}, a handful of atomic verbs on claims and marks.
 * Waiting, heartbeats, policies and codecs are not here: they are done once for every store.
 */
@NullMarked
package io.leasehold.idempotency.spi;

import org.jspecify.annotations.NullMarked;
