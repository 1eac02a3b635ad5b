/**
 * The interface that a store implements: {@link io.leasehold.spi.LockStore}, a handful of atomic
 * verbs, and their records. A store does not queue callers, wait, poll, watch deadlines, count
 * re-entries, schedule renewals or hand over: the engine does that for every store.
 */
@NullMarked
package io.leasehold.spi;

import org.jspecify.annotations.NullMarked;
