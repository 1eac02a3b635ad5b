package io.leasehold.spring;

import io.leasehold.idempotency.servlet.IdempotencyFilter;

/**
 * Changes the builder of the HTTP filter, after the properties were applied; for what has no
 * property, as {@link IdempotencyFilter.Builder#principal}. Every bean of this type is called, in
 * order.
 */
@FunctionalInterface
public interface IdempotencyFilterCustomizer {
  /** Changes the builder. */
  void customize(IdempotencyFilter.Builder builder);
}
