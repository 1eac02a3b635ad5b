package io.leasehold.testkit.juc;

import org.junit.jupiter.api.Nested;

/**
 * The behaviours of {@code Semaphore} that hold for a distributed one too. To be used as {@link
 * ReentrantLockBehaviours}.
 */
public abstract class SemaphoreBehaviours implements JucFixture {
  /** For the classes that extend it. */
  protected SemaphoreBehaviours() {}

  @Nested
  class Permits extends SemaphorePermits {
    Permits() {
      super(SemaphoreBehaviours.this);
    }
  }

  @Nested
  class Waits extends SemaphoreWaits {
    Waits() {
      super(SemaphoreBehaviours.this);
    }
  }
}
