package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/**
 * Each request of a client in turn is cut off on the wire, before the server has it and after the
 * server has applied it. With a ttl of ten minutes, the next client is in soon, and nothing is in
 * doubt.
 */
public abstract class LostReplyContract extends ClientTest {
  /** Far from any ttl. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private static final LockOptions FAIR = LockOptions.defaults().fair();

  /** As {@link ClientTest}. */
  protected LostReplyContract(String beginning, String ending) {
    super(beginning, ending);
  }

  /** Before the server; the test closes it. */
  protected abstract FaultProxy proxy();

  /** A client of {@link ClientTest}, over this port, or that of the server if it is 0. */
  protected abstract Engine client(int port);

  /** Of this test, as another client sees it. */
  protected void requireNothingInTheStore(Engine other) {
    assertThat(other.list()).isEmpty();
  }

  /** What a client does. */
  @FunctionalInterface
  private interface Act {
    void by(Engine client, Engine other, String name) throws Exception;
  }

  @Test
  void ofAFreePair() throws Exception {
    int points = loseEach((client, other, name) -> client.lock(name).acquire(PATIENCE).release());
    assertThat(points).isGreaterThanOrEqualTo(2 * 2);
  }

  @Test
  void ofATryThatFindsItBusy() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease held = other.lock(name).acquire()) {
                assertThat(client.lock(name).tryAcquire()).isEmpty();
                assertThat(held.isHeld()).isTrue();
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(2);
  }

  @Test
  void ofAWaiterThatIsServed() throws Exception {
    int points =
        loseEach(
            (client, other, name) ->
                waitAndRelease(other.lock(name).acquire(), client.lock(name), other));
    assertThat(points).isGreaterThanOrEqualTo(2 * 3);
  }

  @Test
  void ofAFairWaiterThatIsServed() throws Exception {
    int points =
        loseEach(
            (client, other, name) ->
                waitAndRelease(other.lock(name).acquire(), client.lock(name).with(FAIR), other));
    assertThat(points).isGreaterThanOrEqualTo(2 * 3);
  }

  /** The answer to a release may be the only thing that says who is next. */
  @Test
  void ofAHandOverWithinTheProcess() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              DistributedLock lock = client.lock(name).with(FAIR);
              Lease held = lock.acquire(PATIENCE);
              CompletableFuture<Lease> waiter = beginToWait(lock, other);
              try {
                held.release();
              } finally {
                served(waiter).release();
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
  }

  @Test
  void ofAFairWaiterThatGivesUp() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease held = other.lock(name).acquire()) {
                CompletableFuture<Lease> waiter = beginToWait(client.lock(name).with(FAIR), other);
                waiter.cancel(true);
                requireNothingLeft(client);
                assertThat(held.isHeld()).isTrue();
              }
            });
    // It may give up before it listens
    assertThat(points).isGreaterThanOrEqualTo(2 * 2);
  }

  @Test
  void ofAReaderAndAWriter() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease reader = other.readWriteLock(name).readLock().acquire()) {
                client.readWriteLock(name).readLock().acquire(PATIENCE).release();
                assertThat(reader.isHeld()).isTrue();
              }
              client.readWriteLock(name).writeLock().acquire(PATIENCE).release();
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
  }

  @Test
  void ofPermits() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease one = other.semaphore(name, 3).acquire()) {
                client.semaphore(name, 3).permits(2).acquire(PATIENCE).release();
                assertThat(one.isHeld()).isTrue();
              }
            },
            (next, name) -> next.semaphore(name, 3).permits(3));
    assertThat(points).isGreaterThanOrEqualTo(2 * 2);
  }

  @Test
  void ofAWaiterForPermits() throws Exception {
    int points =
        loseEach(
            (client, other, name) ->
                waitAndRelease(
                    other.semaphore(name, 3).permits(2).acquire(),
                    client.semaphore(name, 3).permits(2),
                    other),
            (next, name) -> next.semaphore(name, 3).permits(3));
    assertThat(points).isGreaterThanOrEqualTo(2 * 3);
  }

  private static void waitAndRelease(Lease held, DistributedLock lock, Engine other)
      throws Exception {
    CompletableFuture<Lease> waiter;
    try (held) {
      waiter = beginToWait(lock, other);
      assertThat(held.isHeld()).isTrue();
    }
    served(waiter).release();
  }

  /** Yields how many requests were lost. */
  private int loseEach(Act act) throws Exception {
    return loseEach(act, Engine::lock);
  }

  private int loseEach(Act act, BiFunction<Engine, String, DistributedLock> next) throws Exception {
    int points = 0;
    try (FaultProxy proxy = proxy()) {
      for (ObjIntConsumer<FaultProxy> cut :
          List.<ObjIntConsumer<FaultProxy>>of(FaultProxy::cutBefore, FaultProxy::cutAfter)) {
        int index = 0;
        while (lose(proxy, cut, index, act, next)) {
          index++;
        }
        points += index;
      }
    }
    return points;
  }

  /** Whether the client sent so many requests that one was lost. */
  private boolean lose(
      FaultProxy proxy,
      ObjIntConsumer<FaultProxy> cut,
      int index,
      Act act,
      BiFunction<Engine, String, DistributedLock> next)
      throws Exception {
    Engine other = client(0);
    Engine client = client(proxy.port());
    String name = "lock " + index;
    int lost = proxy.requests() + index;
    cut.accept(proxy, lost);
    try {
      act.by(client, other, name);
    } catch (StoreException | ExecutionException told) {
      assertThat(told.toString()).contains("StoreException");
    }
    // Its connection may still be open: the client does not wait for every answer
    boolean hasBegun = proxy.requests() > lost;
    proxy.heal();
    next.apply(other, name).tryAcquire(SOON).orElseThrow().release();
    requireNothingLeft(client);
    requireNothingLeft(other);
    requireNothingInTheStore(other);
    closeClients();
    return hasBegun;
  }
}
