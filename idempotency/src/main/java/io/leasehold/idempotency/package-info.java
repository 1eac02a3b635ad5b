/**
 * Work that runs once for each key, however often it is requested. Start from {@link
 * io.leasehold.idempotency.Idempotency}.
 */
@NullMarked
package io.leasehold.idempotency;

import org.jspecify.annotations.NullMarked;
