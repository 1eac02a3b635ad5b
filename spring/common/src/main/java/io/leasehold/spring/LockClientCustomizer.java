package io.leasehold.spring;

import io.leasehold.LockClientBuilder;

/**
 * Changes the builder of the client before it opens, after the properties were applied; for what
 * has no property, as {@link LockClientBuilder#traceId}. Every bean of this type is called, in
 * order.
 */
@FunctionalInterface
public interface LockClientCustomizer {
  /** Changes the builder. */
  void customize(LockClientBuilder builder);
}
