package io.leasehold.testkit.juc;

import org.junit.jupiter.api.Nested;

/**
 * The behaviours of {@code ReentrantLock} that hold for a distributed lock too, between threads of
 * one client and between clients. For a store, extend it:
 *
 * <pre>{@code
 * class MyStoreReentrantLockTest extends ReentrantLockBehaviours {
 *   private final InMemoryServer server = new InMemoryServer();
 *
 *   public LockClientBuilder builder() {
 *     return Leasehold.builder(server);
 *   }
 * }
 * }</pre>
 *
 * <p>Each test ends with nothing left: neither in a client's memory nor, as far as a try can tell,
 * in the store. Which cases of the JDK's own tests they stand for, and which of those cannot apply,
 * is listed in {@code docs/juc-behaviours.md}.
 */
public abstract class ReentrantLockBehaviours implements JucFixture {
  /** For the classes that extend it. */
  protected ReentrantLockBehaviours() {}

  @Nested
  class Holds extends LockHolds {
    Holds() {
      super(ReentrantLockBehaviours.this);
    }
  }

  @Nested
  class Tries extends LockTries {
    Tries() {
      super(ReentrantLockBehaviours.this);
    }
  }

  @Nested
  class Waits extends LockWaits {
    Waits() {
      super(ReentrantLockBehaviours.this);
    }
  }

  @Nested
  class Interrupts extends LockInterrupts {
    Interrupts() {
      super(ReentrantLockBehaviours.this);
    }
  }

  @Nested
  class Contention extends LockContention {
    Contention() {
      super(ReentrantLockBehaviours.this);
    }
  }
}
