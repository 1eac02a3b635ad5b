package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The only waiter of a client hears of its grant itself, in its turn; whatever ends that. */
class CallersHearTest extends ServerTest {
  private static final Duration OFTEN = Duration.ofMillis(1);

  private Engine one;
  private Engine other;

  /** How callers take the lock. */
  private LockAcquisition how = DistributedLock::acquire;

  /** What the caller that reads waits for. */
  private Lease holding;

  /** Whether the caller is. */
  private volatile boolean isInterrupted;

  private interface LockAcquisition {
    Lease take(DistributedLock lock) throws InterruptedException;
  }

  CallersHearTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void connect() {
    how = DistributedLock::acquire;
    isInterrupted = false;
    one = client();
    other = client();
  }

  /** A caller on a thread of its own. */
  private static final class Caller {
    private final FutureTask<Lease> lease;
    private final Thread thread;

    Caller(Callable<Lease> work) {
      lease = new FutureTask<>(work);
      thread = new Thread(lease, "caller");
      thread.start();
    }

    boolean isReading() {
      return Stream.of(thread.getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals(ChannelSocket.class.getName()));
    }

    boolean isParked() {
      return thread.getState() == Thread.State.TIMED_WAITING;
    }

    Lease result() throws Exception {
      return lease.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /**
   * One that waits for what the other client holds, and reads: from the second in a row on, unless
   * the machine was too slow for its turn.
   */
  private Caller reading() throws Exception {
    while (true) {
      Lease held = other.lock("n").acquire();
      Caller caller = new Caller(this::take);
      await()
          .pollInterval(OFTEN)
          .atMost(PATIENCE)
          .until(() -> caller.isReading() || caller.isParked());
      if (caller.isReading()) {
        holding = held;
        return caller;
      }
      held.release();
      caller.result().release();
    }
  }

  private Lease take() throws InterruptedException {
    return how.take(one.lock("n"));
  }

  @Test
  void aCallerHearsOfItsGrant() throws Exception {
    Caller caller = reading();
    holding.release();
    caller.result().release();
    requireNothingInTheStore();
  }

  @Test
  void aCallerThatWaitsForLongIsWoken() throws Exception {
    Caller caller = reading();
    await().atMost(PATIENCE).until(caller::isParked);
    holding.release();
    caller.result().release();
  }

  /** And those after it are served. */
  @Test
  void anInterruptEndsTheWaitOfACallerThatReads() throws Exception {
    for (int i = 0; i < 10; i++) {
      Caller caller = reading();
      caller.thread.interrupt();
      assertThat(caller.lease)
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withMessageContaining("InterruptedException");
      holding.release();
      Lease next = one.lock("n").acquire();
      next.release();
    }
    requireNothingInTheStore();
  }

  @Test
  void aCallerThatMustNotBeInterruptedWaitsOn() throws Exception {
    how =
        lock -> {
          Lock same = lock.asLock();
          same.lock();
          same.unlock();
          assertThat(Thread.interrupted()).isEqualTo(isInterrupted);
          return lock.acquire();
        };
    Caller caller = reading();
    isInterrupted = true;
    caller.thread.interrupt();
    holding.release();
    caller.result().release();
  }

  /** It is heard by the one that reads, or the thread. */
  @Test
  void anotherWaiterOfTheClientIsServedMeanwhile() throws Exception {
    Lease beside = other.lock("m").acquire();
    Caller caller = reading();
    CompletableFuture<Lease> second = one.lock("m").acquireAsync(PATIENCE);
    await()
        .atMost(PATIENCE)
        .until(() -> one.lock("m").inspect().stream().anyMatch(seen -> !seen.waiters().isEmpty()));
    beside.release();
    assertThat(second).succeedsWithin(PATIENCE).satisfies(Lease::release);
    holding.release();
    caller.result().release();
  }

  @Test
  void theEndOfTheClientEndsTheWaitOfACallerThatReads() throws Exception {
    Caller caller = reading();
    one.close();
    assertThat(caller.lease)
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .withMessageContaining("ClientClosedException");
    holding.release();
  }

  @Test
  void theServerMayEndTheConnectionOfACallerThatReads() throws Exception {
    Caller caller = reading();
    server.command("CLIENT", "KILL", "TYPE", "pubsub");
    holding.release();
    caller.result().release();
    requireNothingInTheStore();
  }
}
