/**
 * For callers of services that know idempotency keys: {@link
 * io.leasehold.idempotency.client.RetryInterceptor}.
 */
@NullMarked
package io.leasehold.idempotency.client;

import org.jspecify.annotations.NullMarked;
