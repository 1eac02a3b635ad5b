package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What a simulation on one thread cannot see: interrupts of blocking calls. Each returns what is
 * wrong; empty if nothing is.
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

  private static Engine open(InMemoryServer server) {
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
