/**
 * What a store implements: {@link io.leasehold.spi.LockStore}, a handful of atomic verbs, and the
 * records that they speak in. Queueing, waiting, polling, deadlines, re-entry, renewal, loss and
 * hand-over are not here: the engine does them once for every store.
 */
@NullMarked
package io.leasehold.spi;

import org.jspecify.annotations.NullMarked;
