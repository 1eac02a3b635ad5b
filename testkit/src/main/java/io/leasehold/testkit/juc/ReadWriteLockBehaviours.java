package io.leasehold.testkit.juc;

import org.junit.jupiter.api.Nested;

/**
 * The behaviours of {@code ReentrantReadWriteLock} that hold for a distributed one too. To be used
 * as {@link ReentrantLockBehaviours}.
 */
public abstract class ReadWriteLockBehaviours implements JucFixture {
  /** For the classes that extend it. */
  protected ReadWriteLockBehaviours() {}

  @Nested
  class Holds extends ReadWriteHolds {
    Holds() {
      super(ReadWriteLockBehaviours.this);
    }
  }

  @Nested
  class Downgrades extends ReadWriteDowngrades {
    Downgrades() {
      super(ReadWriteLockBehaviours.this);
    }
  }

  @Nested
  class Waits extends ReadWriteWaits {
    Waits() {
      super(ReadWriteLockBehaviours.this);
    }
  }
}
