/**
 * What {@code ./bench idempotency} runs: calls of the idempotency toolkit, of another library and
 * of bare statements; and updates by version against updates under a lock.
 */
@NullMarked
package io.leasehold.benchmarks.idempotency;

import org.jspecify.annotations.NullMarked;
