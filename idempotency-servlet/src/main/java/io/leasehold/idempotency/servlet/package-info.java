/**
 * HTTP requests that are processed once: {@link io.leasehold.idempotency.servlet.IdempotencyFilter}
 * for requests that carry a key, {@link io.leasehold.idempotency.servlet.OneTimeForm} for forms of
 * pages.
 */
@NullMarked
package io.leasehold.idempotency.servlet;

import org.jspecify.annotations.NullMarked;
