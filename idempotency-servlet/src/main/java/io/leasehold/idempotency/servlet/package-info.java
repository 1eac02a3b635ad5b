/**
 * HTTP requests that are processed once: {@link
 * io.leasehold.idempotency.servlet.IdempotencyFilter}, for requests that carry a key.
 */
@NullMarked
package io.leasehold.idempotency.servlet;

import org.jspecify.annotations.NullMarked;
