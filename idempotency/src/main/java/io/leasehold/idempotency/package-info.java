/**
 * Work that is done once, however often it is asked for: {@link
 * io.leasehold.idempotency.Idempotency} and what it is made of.
 */
@NullMarked
package io.leasehold.idempotency;

import org.jspecify.annotations.NullMarked;
