package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.ClientClosedException;
import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a candidate hears, and when it stands again, whatever its listener does. */
@Timeout(120)
class LeadershipTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @RegisterExtension final Engines engines = new Engines();

  /** Hears everything; does what a test wants. */
  private static class Candidate implements LeadershipListener {
    final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void elected(Lease term) throws InterruptedException {
      heard.add("elected");
    }

    @Override
    public void jeopardy(Duration remaining) {
      heard.add("jeopardy");
    }

    @Override
    public void recovered() {
      heard.add("recovered");
    }

    @Override
    public void lost(Reason reason) {
      heard.add("lost " + reason);
    }

    @Override
    public void failed(RuntimeException why) {
      heard.add("failed " + why.getClass().getSimpleName());
    }

    @Override
    public void resigned() {
      heard.add("resigned");
    }

    void awaitHeard(String... events) {
      await().atMost(SOON).untilAsserted(() -> assertThat(heard).startsWith(events));
      assertThat(heard).startsWith(events);
    }
  }

  /** Works inside {@code elected} until it is interrupted. */
  private static class Worker extends Candidate {
    @Override
    public void elected(Lease term) throws InterruptedException {
      super.elected(term);
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        heard.add("interrupted");
        throw e;
      }
    }
  }

  /** Stays inside {@code elected} until the test lets it go, interrupted or not. */
  private static final class Stubborn extends Candidate {
    final CountDownLatch go = new CountDownLatch(1);

    @Override
    public void elected(Lease term) throws InterruptedException {
      super.elected(term);
      while (go.getCount() > 0) {
        try {
          go.await();
        } catch (InterruptedException e) {
          heard.add("interrupted");
        }
      }
    }
  }

  private static Lease elected(Leadership candidate) throws InterruptedException {
    return candidate.awaitLeadership(SOON).orElseThrow();
  }

  /** Loses it now: an operator breaks it, and the engine looks. */
  private void remove(Lease term) {
    assertThat(engines.server().breakLease(term.name(), FenceNumber.number(term.fencingToken())))
        .isTrue();
    long life = Engines.LONG_TTL.toNanos();
    Duration whole = Duration.ofNanos(life - life / 100 - 2_000_001);
    assertThat(Engines.thrownBy(() -> ensure(term, whole))).isEqualTo("LeaseLostException");
  }

  private static String ensure(Lease term, Duration atLeast) {
    term.ensureHeld(atLeast);
    return "";
  }

  // ---- loss

  @ParameterizedTest
  @EnumSource
  void aLossInterruptsTheWorkIsHeardAndTheCandidateIsElectedAgain(Calls calls) throws Exception {
    engines.serve(calls);
    Worker worker = new Worker();
    try (Leadership leader = engines.client().leadership("n", worker)) {
      Lease first = elected(leader);
      worker.awaitHeard("elected");
      remove(first);
      assertThat(leader.lease()).isNotEqualTo(first);
      worker.awaitHeard("elected", "interrupted", "lost GONE", "elected");
      Lease second = elected(leader);
      assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
      assertThat(first.isHeld()).isFalse();
    }
    worker.awaitHeard("elected", "interrupted", "lost GONE", "elected", "interrupted", "resigned");
  }

  /** Or it would win an election that it does not serve. */
  @Test
  void aCandidateWhoseListenerHangsDoesNotStandAgain() throws Exception {
    Stubborn hangs = new Stubborn();
    Candidate other = new Candidate();
    Engine one = engines.client();
    Leadership leader = one.leadership("n", hangs);
    Lease term = elected(leader);
    hangs.awaitHeard("elected");
    remove(term);
    hangs.awaitHeard("elected", "interrupted");
    // Longer than the pause after which it would
    await().pollDelay(Duration.ofSeconds(2)).atMost(SOON).until(() -> true);
    assertThat(one.ledger().isZero()).isTrue();
    try (Leadership elsewhere = one.leadership("other", other)) {
      elected(elsewhere);
      other.awaitHeard("elected");
    }
    hangs.go.countDown();
    hangs.awaitHeard("elected", "interrupted", "lost GONE", "elected");
    leader.resign();
  }

  @Test
  void theEndOfALossIsAPause() throws Exception {
    Candidate candidate = new Candidate();
    AtomicReference<Long> lost = new AtomicReference<>();
    try (Leadership leader =
        engines
            .client()
            .leadership(
                "n",
                new Candidate() {
                  @Override
                  public void elected(Lease term) {
                    candidate.heard.add("after " + since(lost.get()).toSeconds());
                  }

                  @Override
                  public void lost(Reason reason) {
                    lost.set(System.nanoTime());
                  }
                })) {
      lost.set(System.nanoTime());
      Lease first = elected(leader);
      await().atMost(SOON).until(() -> candidate.heard.size() == 1);
      remove(first);
      await().atMost(SOON).until(() -> candidate.heard.size() == 2);
      assertThat(candidate.heard.get(1)).isNotEqualTo("after 0");
    }
  }

  private static Duration since(long begin) {
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  @Test
  void jeopardyAndItsEndAreHeard() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Candidate candidate = new Candidate();
    Engine one = engines.client(factory, b -> b.ttl(Duration.ofSeconds(9)));
    try (Leadership leader = one.leadership("n", candidate)) {
      elected(leader);
      factory.become(Mood.UNAVAILABLE, "renew");
      candidate.awaitHeard("elected", "jeopardy");
      assertThat(leader.isLeader()).isTrue();
      factory.become(Mood.NORMAL);
      candidate.awaitHeard("elected", "jeopardy", "recovered");
    }
    candidate.awaitHeard("elected", "jeopardy", "recovered", "resigned");
  }

  /** Also where the listener cannot hear of the loss. */
  @Test
  void aLeaseLostWhileTheListenerWorksIsNotLed() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Stubborn hangs = new Stubborn();
    Engine one = engines.client(factory, b -> b.ttl(Duration.ofMillis(900)));
    Leadership leader = one.leadership("n", hangs);
    CompletableFuture<Reason> told = new CompletableFuture<>();
    elected(leader).onLost(told::complete);
    hangs.awaitHeard("elected");
    factory.become(Mood.UNAVAILABLE, "renew");
    await().atMost(SOON).until(() -> !leader.isLeader());
    assertThat(told.get(20, TimeUnit.SECONDS)).isEqualTo(Reason.EXPIRED);
    factory.become(Mood.NORMAL);
    leader.resign();
    hangs.go.countDown();
    hangs.awaitHeard("elected", "interrupted", "jeopardy", "lost EXPIRED");
  }

  /** The process was paused: nothing of the client has run since. */
  @Test
  void aLeaderThatWakesAfterItsLeaseDoesNotLead() throws Exception {
    AtomicLong pause = new AtomicLong();
    Clock system = new SystemClock();
    Clock paused =
        new Clock() {
          @Override
          public long nanos() {
            return system.nanos() + pause.get();
          }

          @Override
          public long wallMillis() {
            return system.wallMillis() + pause.get() / 1_000_000;
          }
        };
    engines.mayLeaveSomething();
    Engine one = engines.client(new FaultyStore.Factory(engines.server()), paused);
    Leadership leader = one.leadership("n", new Candidate());
    elected(leader);
    assertThat(leader.isLeader()).isTrue();
    pause.set(Engines.LONG_TTL.toNanos());
    assertThat(leader.isLeader()).isFalse();
    assertThat(leader.lease()).isEmpty();
    leader.resign();
  }

  // ---- resignation

  @Test
  void theListenerMayResign() throws Exception {
    AtomicReference<Leadership> leader = new AtomicReference<>();
    CountDownLatch known = new CountDownLatch(1);
    Candidate resigns =
        new Candidate() {
          @Override
          public void elected(Lease term) throws InterruptedException {
            super.elected(term);
            known.await();
            leader.get().resign();
            heard.add("released " + !term.isHeld());
          }
        };
    Engine one = engines.client(b -> b.requestTimeout(Duration.ofMinutes(2)));
    leader.set(one.leadership("n", resigns));
    known.countDown();
    resigns.awaitHeard("elected", "released true", "resigned");
    assertThat(leader.get().awaitLeadership(Duration.ZERO)).isEmpty();
    assertThat(one.ledger().isZero()).isTrue();
  }

  @Test
  void theListenerMayResignWhenItLost() throws Exception {
    AtomicReference<Leadership> leader = new AtomicReference<>();
    Candidate resigns =
        new Candidate() {
          @Override
          public void lost(Reason reason) {
            leader.get().resign();
            super.lost(reason);
          }
        };
    Engine one = engines.client();
    leader.set(one.leadership("n", resigns));
    Lease term = elected(leader.get());
    resigns.awaitHeard("elected");
    remove(term);
    resigns.awaitHeard("elected", "lost GONE");
    await().pollDelay(Duration.ofSeconds(2)).atMost(SOON).until(() -> one.ledger().isZero());
    assertThat(resigns.heard).containsExactly("elected", "lost GONE");
  }

  /** Then the lock goes to another, though the work goes on. */
  @Test
  void aResignationWaitsForTheWorkInBoundedTime() throws Exception {
    Stubborn hangs = new Stubborn();
    Engine one = engines.client(b -> b.requestTimeout(Duration.ofMillis(300)));
    Leadership leader = one.leadership("n", hangs);
    elected(leader);
    hangs.awaitHeard("elected");
    Running<String> resign =
        start(
            () -> {
              leader.resign();
              return "resigned";
            });
    assertThat(resign.result()).isEqualTo("resigned");
    engines.client().lock("n").acquire(SOON).release();
    hangs.go.countDown();
    hangs.awaitHeard("elected", "interrupted", "resigned");
  }

  /** Which takes its time after the interrupt. */
  @Test
  void aResignationReleasesWhenTheWorkHasEnded() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> led = new CompletableFuture<>();
    Leadership leader =
        engines
            .client(b -> b.requestTimeout(Duration.ofMinutes(2)))
            .leadership(
                "n",
                term -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    await().pollDelay(Duration.ofMillis(500)).atMost(SOON).until(() -> true);
                    led.complete(term.isHeld());
                  }
                });
    assertThat(begun.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    leader.resign();
    assertThat(led.getNow(false)).as("leads until its work has ended").isTrue();
    engines.client().lock("n").acquire(SOON).release();
  }

  @Test
  void aLeaderThatReleasesItsLeaseStepsDownAndStandsAgain() throws Exception {
    Candidate candidate = new Candidate();
    try (Leadership leader = engines.client().leadership("n", candidate)) {
      Lease first = elected(leader);
      candidate.awaitHeard("elected");
      first.release();
      candidate.awaitHeard("elected", "resigned", "elected");
    }
  }

  @Test
  void aListenerThatThrowsStepsDownAndAnotherLeads() throws Exception {
    Candidate throwsUp =
        new Candidate() {
          @Override
          public void elected(Lease term) throws InterruptedException {
            super.elected(term);
            throw new IllegalStateException("cannot lead");
          }
        };
    Candidate next = new Candidate();
    try (Leadership bad = engines.client().leadership("n", throwsUp)) {
      throwsUp.awaitHeard("elected", "resigned");
      try (Leadership good = engines.client().leadership("n", next)) {
        elected(good);
        next.awaitHeard("elected");
        assertThat(bad.isLeader()).isFalse();
      }
    }
  }

  @Test
  void anUnknownOutcomeOfAResignationIsThrownAndTheLockComesFree() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Candidate candidate = new Candidate();
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofMillis(200)));
    Leadership leader = one.leadership("n", candidate);
    elected(leader);
    candidate.awaitHeard("elected");
    factory.become(Mood.SILENT, "release");
    assertThatThrownBy(leader::resign).isInstanceOf(StoreException.class);
    candidate.awaitHeard("elected", "resigned");
    assertThat(leader.isLeader()).isFalse();
    factory.become(Mood.NORMAL);
    engines.client().lock("n").acquire(SOON).release();
  }

  /** Whatever the moment. */
  @ParameterizedTest
  @EnumSource
  void aResignationAtTheMomentOfTheElectionLeavesNothing(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    for (int i = 0; i < 200; i++) {
      Leadership candidate = one.leadership("n", new Candidate());
      Running<String> resign = i % 2 == 0 ? null : start(() -> resign(candidate));
      if (resign == null) {
        candidate.resign();
      } else {
        Object unused = candidate.awaitLeadership(Duration.ofNanos(i * 1000L));
        assertThat(resign.result()).isEmpty();
      }
    }
    await().atMost(SOON).until(() -> one.ledger().isZero());
  }

  private static String resign(Leadership candidate) {
    candidate.resign();
    return "";
  }

  // ---- more than one

  @Test
  void ofTwoCandidatesInAProcessOneLeads() throws Exception {
    Engine one = engines.client();
    Leadership first = one.leadership("n", new Candidate());
    elected(first);
    Leadership second = one.leadership("n", LockOptions.defaults().fair(), new Candidate());
    assertThat(second.awaitLeadership(Duration.ofMillis(50))).isEmpty();
    await().atMost(SOON).until(() -> first.inspect().orElseThrow().waiters().size() == 1);
    first.resign();
    elected(second);
    assertThat(first.isLeader()).isFalse();
    second.resign();
  }

  /** Each has its thread. */
  @Test
  void leadershipsThatWorkInTheirListenersDelayNoOther() throws Exception {
    Engine one = engines.client();
    List<Leadership> busy = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      Worker worker = new Worker();
      busy.add(one.leadership("n" + i, worker));
      worker.awaitHeard("elected");
    }
    Candidate other = new Candidate();
    try (Leadership last = one.leadership("last", other)) {
      elected(last);
      other.awaitHeard("elected");
    }
    busy.forEach(Leadership::resign);
  }

  // ---- the store

  @Test
  void aStoreThatIsDownAtTheStartIsAskedOnceASecond() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Candidate candidate = new Candidate();
    Engine one = engines.client(factory, b -> b);
    factory.become(Mood.UNAVAILABLE);
    long begin = System.nanoTime();
    try (Leadership leader = one.leadership("n", candidate)) {
      await().atMost(SOON).until(() -> factory.count("attempt") >= 3);
      assertThat(since(begin)).isGreaterThan(Duration.ofSeconds(2));
      assertThat(leader.awaitLeadership(Duration.ZERO)).isEmpty();
      factory.become(Mood.NORMAL);
      elected(leader);
      await().atMost(SOON).until(() -> candidate.heard.contains("elected"));
      assertThat(candidate.heard).startsWith("failed StoreException", "failed StoreException");
    }
  }

  // ---- waiting for it, and the end of the client

  @Test
  void aWaitForTheLeadershipEndsByInterruptResignationAndClose() throws Exception {
    Engine holder = engines.client();
    Lease held = holder.lock("n").acquire();
    Engine one = engines.client();
    Leadership candidate = one.leadership("n", new Candidate());
    Running<Object> interrupted =
        start(() -> (Object) Engines.thrownBy(() -> candidate.awaitLeadership(SOON)));
    interrupted.waiting().thread.interrupt();
    assertThat(interrupted.result()).isEqualTo("InterruptedException");
    Running<Boolean> resigned = start(() -> candidate.awaitLeadership(SOON).isPresent());
    resigned.waiting();
    candidate.resign();
    assertThat(resigned.result()).isFalse();
    Leadership another = one.leadership("n", new Candidate());
    Running<String> closed = start(() -> Engines.thrownBy(() -> another.awaitLeadership(SOON)));
    closed.waiting();
    one.close();
    assertThat(closed.result()).isEqualTo("ClientClosedException");
    assertThatThrownBy(() -> one.leadership("n", new Candidate()))
        .isInstanceOf(ClientClosedException.class);
    held.release();
  }

  @Test
  void closeInterruptsTheWorkAndTheListenerHearsOfIt() throws Exception {
    Worker worker = new Worker();
    Engine one = engines.client();
    Leadership leader = one.leadership("n", worker);
    elected(leader);
    worker.awaitHeard("elected");
    one.close();
    worker.awaitHeard("elected", "interrupted", "lost CLOSED");
    assertThat(leader.isLeader()).isFalse();
    leader.resign();
    engines.client().lock("n").acquire(SOON).release();
  }

  @Test
  void aCloseThatWaitsForHoldersResigns() throws Exception {
    Worker worker = new Worker();
    Engine one = engines.client(b -> b.closeWaitsForHolders().closeTimeout(SOON));
    Leadership leader = one.leadership("n", worker);
    elected(leader);
    worker.awaitHeard("elected");
    one.close();
    worker.awaitHeard("elected", "interrupted", "resigned");
    engines.client().lock("n").acquire(SOON).release();
  }
}
