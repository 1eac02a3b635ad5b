package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What a simulation on one thread cannot see, or sees once in many thousand seeds. Each returns
 * what is wrong; empty if nothing is.
 */
final class ThreadProbes {
  private ThreadProbes() {}

  static String interruptLeavesNothing() {
    return withTwo(
        (one, two, held) -> {
          AtomicReference<String> end = new AtomicReference<>("");
          Thread waiter = waiting(() -> end.set(acquire(two)));
          waiter.interrupt();
          join(waiter);
          held.release();
          return eventually(() -> two.ledger().isZero()) ? "" : "left behind: " + two.ledger();
        });
  }

  static String interruptIsThrown() {
    return withTwo(
        (one, two, held) -> {
          AtomicReference<String> end = new AtomicReference<>("still waits");
          Thread waiter = waiting(() -> end.set(acquire(two)));
          waiter.interrupt();
          join(waiter);
          String ended = end.get();
          held.release();
          return ended.equals("InterruptedException")
              ? ""
              : "acquire ended by an interrupt: " + ended;
        });
  }

  static String uninterruptibleKeepsTheFlag() {
    return withTwo(
        (one, two, held) -> {
          AtomicReference<String> end = new AtomicReference<>("still waits");
          Thread waiter =
              waiting(
                  () -> {
                    two.lock("n").asLock().lock();
                    end.set(Thread.interrupted() ? "" : "the flag is gone");
                    two.lock("n").asLock().unlock();
                  });
          waiter.interrupt();
          LockSupport.parkNanos(50_000_000);
          held.release();
          join(waiter);
          return end.get();
        });
  }

  /**
   * What comes due while a poll is not answered is asked about as soon as that is. A defect shows
   * if the machine is at its ease: so it is looked for more than once.
   */
  static String whatCameDueIsPolledAtOnce() {
    String wrong = "";
    for (int i = 0; i < 3 && wrong.isEmpty(); i++) {
      wrong = pollAfterAHeldOne();
    }
    return wrong;
  }

  /** Callers that hear of their grants themselves are served, in a hundred simulated worlds. */
  static String callersHear() {
    for (long seed = 1; seed <= 100; seed++) {
      Violation found =
          ThreadedSimulation.run(
                  seed, Scene.CALLERS_HEAR::plan, false, EnumSet.noneOf(Situation.class))
              .violation();
      if (found != null) {
        return found.getMessage();
      }
    }
    return "";
  }

  private static String pollAfterAHeldOne() {
    InMemorySettings settings =
        InMemorySettings.defaults()
            .withPoll(new Poll(Duration.ofSeconds(1), Duration.ofHours(1), Signals.NONE));
    InMemoryServer server =
        new InMemoryServer(settings, new SystemClock(), ForkJoinPool.commonPool());
    HeldPoll poll = new HeldPoll();
    try (Engine one = open(server);
        Engine two = open(listener -> poll.on(server.open(listener)));
        Lease often = one.lock("often").acquire();
        Lease rare = one.lock("rare").acquire()) {
      LockOptions brief = LockOptions.defaults().withTtl(Duration.ofMillis(150));
      CompletableFuture<Lease> first = two.lock(often.name()).with(brief).acquireAsync();
      if (!eventually(poll::isHeld)) {
        return "no poll";
      }
      CompletableFuture<Lease> second = two.lock(rare.name()).acquireAsync();
      eventually(() -> two.ledger().waiters() == 2);
      // Half of its interval, and a few of the other's
      LockSupport.parkNanos(750_000_000);
      poll.letGo();
      boolean polled = eventually(() -> poll.next != null);
      first.cancel(true);
      second.cancel(true);
      return polled && poll.next.contains("rare") ? "" : "the next poll was of " + poll.next;
    } catch (InterruptedException e) {
      return "interrupted";
    }
  }

  /** Keeps the first batch of renewals until it is let go, and tells the names of the next. */
  private static final class HeldPoll {
    private final AtomicReference<Runnable> held = new AtomicReference<>();
    private volatile boolean over;
    private volatile List<String> next;

    LockStore on(LockStore store) {
      return (LockStore)
          Proxy.newProxyInstance(
              LockStore.class.getClassLoader(),
              new Class<?>[] {LockStore.class},
              (proxy, verb, arguments) ->
                  verb.getName().equals("renew")
                      ? renew(() -> call(store, verb, arguments), (Collection<?>) arguments[0])
                      : call(store, verb, arguments));
    }

    private Object renew(Runnable request, Collection<?> tickets) {
      if (held.compareAndSet(null, request)) {
        return null;
      }
      if (over && next == null) {
        next = tickets.stream().map(ticket -> ((Ticket) ticket).name()).toList();
      }
      request.run();
      return null;
    }

    private static Object call(LockStore store, Method verb, Object... arguments) {
      try {
        return verb.invoke(store, arguments);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("in a store", e);
      }
    }

    boolean isHeld() {
      return held.get() != null;
    }

    void letGo() {
      over = true;
      held.get().run();
    }
  }

  /** What is probed while the first engine holds the lock. */
  private interface Probe {
    String run(Engine one, Engine two, Lease held) throws InterruptedException;
  }

  private static String withTwo(Probe probe) {
    InMemoryServer server = new InMemoryServer();
    try (Engine one = open(server);
        Engine two = open(server);
        Lease held = one.lock("n").acquire()) {
      return probe.run(one, two, held);
    } catch (InterruptedException e) {
      return "interrupted";
    }
  }

  private static Engine open(StoreFactory server) {
    return (Engine)
        Engine.open(
            server,
            new EngineConfig(
                Optional.of(Duration.ofSeconds(30)),
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                () -> null,
                Set.of(),
                List.of()));
  }

  private static String acquire(Engine engine) {
    try (Lease lease = engine.lock("n").acquire(Duration.ofSeconds(2))) {
      return "granted " + lease.name();
    } catch (InterruptedException e) {
      return "InterruptedException";
    } catch (LockException | LeaseLostException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static Thread waiting(Runnable work) {
    Thread thread = new Thread(work, "probe");
    thread.setDaemon(true);
    thread.start();
    eventually(
        () ->
            thread.getState() == Thread.State.TIMED_WAITING
                || thread.getState() == Thread.State.WAITING);
    return thread;
  }

  private static void join(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(3));
  }

  private static boolean eventually(java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return true;
  }
}
