package io.leasehold.testkit.juc;

import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The behaviours of {@code java.util.concurrent}, on a store of each kind that the engine knows.
 */
class InMemoryJucTest {
  abstract static class OnServer extends JucBehaviours {
    private final InMemoryServer server;

    OnServer(InMemorySettings settings) {
      this.server = new InMemoryServer(settings, new SystemClock(), ForkJoinPool.commonPool());
    }

    @Override
    public LockClientBuilder builder() {
      return Leasehold.builder(server);
    }
  }

  @Nested
  class WithSignals extends OnServer {
    WithSignals() {
      super(InMemorySettings.defaults());
    }
  }

  @Nested
  class Polled extends OnServer {
    Polled() {
      super(
          InMemorySettings.defaults()
              .withPoll(
                  new Traits.Poll(
                      Duration.ofMillis(2), Duration.ofMillis(20), Traits.Signals.NONE)));
    }
  }

  @Nested
  @Tag("jdk")
  class Blocking extends OnServer {
    Blocking() {
      super(InMemorySettings.defaults().withCalls(Traits.Calls.BLOCKING));
    }
  }

  @Nested
  class Fair extends OnServer {
    Fair() {
      super(InMemorySettings.defaults());
    }

    @Override
    public LockOptions options() {
      return LockOptions.defaults().fair();
    }
  }
}
