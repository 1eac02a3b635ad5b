package io.leasehold.testkit.juc;

import org.junit.jupiter.api.Nested;

/**
 * The behaviours of {@code ReentrantLock}, {@code ReentrantReadWriteLock} and {@code Semaphore}
 * that hold for distributed locks too, between threads of one client and between clients. For a
 * store, extend it:
 *
 * <pre>{@code
 * class InMemoryJucTest extends JucBehaviours {
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
public abstract class JucBehaviours implements JucFixture {
  /** For the classes that extend it. */
  protected JucBehaviours() {}

  @Nested
  class OfHolds extends LockHolds {
    OfHolds() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfTries extends LockTries {
    OfTries() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfWaits extends LockWaits {
    OfWaits() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfInterrupts extends LockInterrupts {
    OfInterrupts() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfContention extends LockContention {
    OfContention() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfReadersAndWriters extends ReadWriteHolds {
    OfReadersAndWriters() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfDowngrades extends ReadWriteDowngrades {
    OfDowngrades() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfReadWriteWaits extends ReadWriteWaits {
    OfReadWriteWaits() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfPermits extends SemaphorePermits {
    OfPermits() {
      super(JucBehaviours.this);
    }
  }

  @Nested
  class OfPermitWaits extends SemaphoreWaits {
    OfPermitWaits() {
      super(JucBehaviours.this);
    }
  }
}
