package io.leasehold.testkit.juc;

import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import org.junit.jupiter.api.Nested;

/**
 * All behaviours, for a store that has all kinds of locks. To be used as {@link
 * ReentrantLockBehaviours}.
 */
public abstract class JucBehaviours implements JucFixture {
  /** For the classes that extend it. */
  protected JucBehaviours() {}

  @Nested
  class Locks extends ReentrantLockBehaviours {
    @Override
    public LockClientBuilder builder() {
      return JucBehaviours.this.builder();
    }

    @Override
    public LockOptions options() {
      return JucBehaviours.this.options();
    }
  }

  @Nested
  class ReadWriteLocks extends ReadWriteLockBehaviours {
    @Override
    public LockClientBuilder builder() {
      return JucBehaviours.this.builder();
    }

    @Override
    public LockOptions options() {
      return JucBehaviours.this.options();
    }
  }

  @Nested
  class Semaphores extends SemaphoreBehaviours {
    @Override
    public LockClientBuilder builder() {
      return JucBehaviours.this.builder();
    }

    @Override
    public LockOptions options() {
      return JucBehaviours.this.options();
    }
  }
}
