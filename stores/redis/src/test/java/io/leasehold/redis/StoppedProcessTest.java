package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.JavaProcess;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process stands still: a holder, a waiter, the server. */
class StoppedProcessTest extends ServerTest {
  private static final Duration SHORT = Duration.ofSeconds(1);

  StoppedProcessTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @AfterEach
  void goOn() {
    server.resume();
  }

  private JavaProcess puppet() {
    return puppet(SHORT);
  }

  private JavaProcess puppet(Duration ttl) {
    JavaProcess puppet =
        JavaProcess.start(Puppet.class, server.url() + "?prefix=" + prefix(), ttl.toString());
    puppet.await("ready");
    return puppet;
  }

  @Test
  void r17AStoppedHolderKnowsBeforeItHasAskedAnybody() throws Exception {
    try (JavaProcess puppet = puppet()) {
      puppet.say("acquire");
      long token = Long.parseLong(puppet.await("acquired"));
      puppet.signal("STOP");
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(next.fencingToken()).isGreaterThan(token);
      // It cannot ask the server.
      server.pause();
      puppet.say("held");
      puppet.say("held");
      puppet.signal("CONT");
      assertThat(puppet.lines("held false")).doesNotContain("held true");
      server.resume();
      next.release();
    }
  }

  @Test
  void aStoppedHolderIsToldOfItsLoss() throws Exception {
    try (JavaProcess puppet = puppet()) {
      puppet.say("acquire");
      puppet.await("acquired");
      puppet.signal("STOP");
      Lease next = client().lock("a").acquire(PATIENCE);
      puppet.signal("CONT");
      puppet.await("lost");
      assertThat(next.isHeld()).isTrue();
      puppet.say("acquire");
      next.release();
      assertThat(Long.parseLong(puppet.await("acquired"))).isGreaterThan(next.fencingToken());
    }
  }

  @Test
  void aStoppedWaiterIsPassedOverByItsTtlAndComesAgain() throws Exception {
    Engine client = client();
    LockOptions fair = LockOptions.defaults().fair();
    try (JavaProcess puppet = puppet()) {
      Lease held = client.lock("a").acquire();
      puppet.say("acquire fair");
      await()
          .atMost(PATIENCE)
          .until(() -> client.lock("a").inspect().orElseThrow().waiters().size() == 1);
      CompletableFuture<Lease> second = client.lock("a").with(fair).acquireAsync(PATIENCE);
      puppet.signal("STOP");
      long released = System.nanoTime();
      held.release();
      Lease next = served(second);
      assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofSeconds(5));
      puppet.signal("CONT");
      next.release();
      assertThat(Long.parseLong(puppet.await("acquired"))).isGreaterThan(next.fencingToken());
    }
  }

  /** However many they are: with a turn for each of them it would be half a minute. */
  @Test
  void r9TheFairWaitersOfAKilledProcessCostTheOthersOneTurn() throws Exception {
    int dead = 12;
    Engine client = client();
    LockOptions fair = LockOptions.defaults().fair();
    try (JavaProcess puppet = puppet(Duration.ofMinutes(10))) {
      Lease held = client.lock("a").acquire();
      for (int i = 0; i < dead; i++) {
        puppet.say("acquire fair");
      }
      await()
          .atMost(PATIENCE)
          .until(() -> client.lock("a").inspect().orElseThrow().waiters().size() == dead);
      CompletableFuture<Lease> last = client.lock("a").with(fair).acquireAsync(PATIENCE);
      await()
          .atMost(PATIENCE)
          .until(() -> client.lock("a").inspect().orElseThrow().waiters().size() == dead + 1);
      puppet.signal("KILL");
      held.release();
      assertThat(last).succeedsWithin(Duration.ofSeconds(15));
      last.join().release();
      requireNothingInTheStore();
    }
  }

  @Test
  void aWriterThatDiedWaitingKeepsReadersOutForItsTtlAtMost() throws Exception {
    Engine client = client();
    try (Lease reading = client.readWriteLock("a").readLock().acquire();
        JavaProcess puppet = puppet()) {
      puppet.say("acquire");
      await()
          .atMost(PATIENCE)
          .until(() -> client.lock("a").inspect().orElseThrow().waiters().size() == 1);
      puppet.signal("KILL");
      client().readWriteLock("a").readLock().acquire(PATIENCE).release();
      assertThat(reading.isHeld()).isTrue();
    }
  }

  @Test
  void r16WhileTheServerIsStoppedATryEndsInTime() throws Exception {
    Engine client = client();
    client.lock("a").acquire().release();
    server.pause();
    long begin = System.nanoTime();
    assertThatThrownBy(() -> client.lock("a").tryAcquire(Duration.ofMillis(500)))
        .isInstanceOf(StoreException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(450), Duration.ofSeconds(4));
    server.resume();
    client.lock("a").acquire(PATIENCE).release();
    requireNothingLeft(client);
    requireNothingInTheStore();
  }

  @Test
  void r17WhileTheServerIsStoppedLeasesEndByTheClockOfTheHolder() throws Exception {
    Engine client = client(how -> how.ttl(SHORT.multipliedBy(2)));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    server.pause();
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(held.isHeld()).isFalse();
    assertThat(waiter).isNotDone();
    server.resume();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
    requireNothingInTheStore();
  }
}
