package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.JavaProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How sessions end: an operator ends one, a process dies or stands still, the server does. */
class SessionEndTest extends ServerTest {
  private static final Pattern ID = Pattern.compile("\"ID\": *\"([^\"]+)\"");

  SessionEndTest() {
    super(ConsulServer.configured().start());
  }

  @AfterEach
  void goOn() {
    server.resume();
  }

  private List<String> sessions() {
    List<String> ids = new ArrayList<>();
    Matcher id = ID.matcher(server.get("/v1/session/list"));
    while (id.find()) {
      ids.add(id.group(1));
    }
    return ids;
  }

  private void destroySessions() {
    destroy(sessions());
  }

  private void destroy(List<String> ids) {
    assertThat(ids).isNotEmpty();
    ids.forEach(each -> server.put("/v1/session/destroy/" + each, ""));
  }

  @Test
  void whoHoldsIsToldThatAnOperatorEndedTheSession() throws Exception {
    Engine client = client(how -> how.ttl(SHORT));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    destroySessions();
    assertThat(lost).succeedsWithin(SHORT);
    assertThat(held.isHeld()).isFalse();
    Lease next = client.lock("a").acquire(PATIENCE);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }

  /** At once, and not when their ttl is over. */
  @Test
  void aClosedClientEndsItsSessions() throws Exception {
    List<String> before = sessions();
    Engine client = client();
    client.lock("a").acquire().release();
    client.lock("b").with(LockOptions.defaults().withTtl(SHORT)).acquire().release();
    assertThat(sessions()).hasSize(before.size() + 2);
    client.close();
    assertThat(sessions()).containsExactlyInAnyOrderElementsOf(before);
  }

  /** Its client does not know yet that its session is gone. */
  @Test
  void anIdleClientTakesTheLockThoughItsSessionWasEnded() throws Exception {
    Engine client = client();
    client.lock("a").acquire().release();
    destroySessions();
    client.lock("a").acquire(PATIENCE).release();
    destroySessions();
    client.lock("a").tryAcquire().orElseThrow().release();
  }

  @Test
  void aWaiterWhoseSessionWasEndedComesAgain() throws Exception {
    Engine other = client();
    Lease held = other.lock("a").acquire();
    List<String> before = sessions();
    Engine client = client(how -> how.ttl(SHORT));
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
    // Only its own: with the holder's it would hold the lock before its own is ended
    List<String> own = sessions();
    own.removeAll(before);
    destroy(own);
    await().atMost(PATIENCE).until(() -> waiters(other.lock("a")) == 1);
    assertThat(waiter).isNotDone();
    held.release();
    served(waiter).release();
  }

  /** The dead one stands between the holder and the next. */
  @Test
  void whenTheWaiterBeforeItDiesTheNextStillWaits() throws Exception {
    Engine client = client();
    LockOptions fair = LockOptions.defaults().fair();
    Lease held = client.lock("a").acquire();
    try (JavaProcess puppet = puppet(SHORT)) {
      puppet.say("acquire");
      await().atMost(PATIENCE).until(() -> waiters(client.lock("a")) == 1);
      CompletableFuture<Lease> next = beginToWait(client.lock("a").with(fair), client);
      puppet.signal("KILL");
      await().atMost(PATIENCE).until(() -> waiters(client.lock("a")) == 1);
      assertThat(next).isNotDone();
      held.release();
      served(next).release();
    }
  }

  @Test
  void r10TheLockOfAKilledProcessIsFreeAfterOneTtlToTwo() throws Exception {
    Engine client = client();
    try (JavaProcess puppet = puppet(SHORT)) {
      puppet.say("acquire");
      long token = Long.parseLong(puppet.await("acquired"));
      puppet.signal("KILL");
      long killed = System.nanoTime();
      Lease next = client.lock("a").acquire(PATIENCE);
      Duration took = Duration.ofNanos(System.nanoTime() - killed);
      assertThat(took)
          .isBetween(SHORT.minus(SHORT.dividedBy(3)), SHORT.multipliedBy(2).plusSeconds(5));
      assertThat(next.fencingToken()).isGreaterThan(token);
      next.release();
    }
  }

  @Test
  void r17AStoppedHolderKnowsBeforeItHasAskedTheServer() throws Exception {
    try (JavaProcess puppet = puppet(SHORT)) {
      puppet.say("acquire");
      puppet.await("acquired");
      puppet.signal("STOP");
      Lease next = client().lock("a").acquire(PATIENCE);
      server.pause();
      puppet.say("held");
      puppet.say("held");
      puppet.signal("CONT");
      List<String> printed = puppet.lines("held false");
      assertThat(printed).doesNotContain("held true");
      server.resume();
      if (!printed.contains("lost")) {
        puppet.await("lost");
      }
      next.release();
    }
  }

  @Test
  void r17WhileTheServerIsStoppedLeasesEndByTheClockOfTheHolder() throws Exception {
    Engine client = client(how -> how.ttl(SHORT));
    Engine other = client();
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), other);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    long paused = System.nanoTime();
    server.pause();
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(Duration.ofNanos(System.nanoTime() - paused)).isLessThan(SHORT.plusSeconds(2));
    assertThat(waiter).isNotDone();
    server.resume();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }
}
