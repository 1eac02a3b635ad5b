package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several locks as one: all or none, in one deadline, never in a circle. */
@Timeout(90)
class AllOfTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void allOrNone(Calls calls) throws Exception {
    engines.serve(calls);
    Engine here = engines.client();
    Engine there = engines.client();
    MultiLock all = here.allOf("c", "a", "b", "a");
    assertThat(all.names()).containsExactly("a", "b", "c");
    try (MultiLease held = all.acquire()) {
      assertThat(held.isHeld()).isTrue();
      assertThat(held.get("b").name()).isEqualTo("b");
      assertThat(held.get("b").fencingToken()).isPositive();
      assertThat(there.lock("a").tryAcquire()).isEmpty();
      assertThat(there.lock("c").tryAcquire()).isEmpty();
      assertThatThrownBy(() -> held.get("d")).isInstanceOf(IllegalArgumentException.class);
    }
    Lease last = there.lock("c").acquire();
    assertThat(all.tryAcquire()).isEmpty();
    assertThat(all.tryAcquire(Duration.ofMillis(500))).isEmpty();
    assertThatThrownBy(() -> all.acquire(Duration.ofMillis(500)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("'c'");
    await().until(() -> here.ledger().leases() == 0);
    there.lock("a").tryAcquire().orElseThrow().release();
    last.release();
  }

  @Test
  void namesAreOrderedByTheirBytes() {
    // Above the surrogates in UTF-16, below them in UTF-8
    assertThat(engines.client().allOf("\uD83D\uDE00", "\uFF5E", "z").names())
        .containsExactly("z", "\uFF5E", "\uD83D\uDE00");
  }

  @Test
  void aPartLostWhileAnotherIsWaitedForMakesItBeginAgain() throws Exception {
    Engine here = engines.client(b -> b.ttl(Duration.ofMillis(600)));
    Engine there = engines.client();
    Lease last = there.lock("b").acquire();
    Running<MultiLease> waiter = start(() -> here.allOf("a", "b").acquire());
    await().until(() -> there.lock("a").inspect().isPresent());
    String first = there.lock("a").inspect().orElseThrow().holders().get(0).leaseId();
    long token = there.lock("a").inspect().orElseThrow().holders().get(0).fencingToken();
    assertThat(there.lock("a").breakLease(token)).isTrue();
    await()
        .until(
            () ->
                there.lock("a").inspect().stream()
                    .flatMap(s -> s.holders().stream())
                    .anyMatch(h -> !h.leaseId().equals(first)));
    last.release();
    try (MultiLease held = waiter.result()) {
      assertThat(held.isHeld()).isTrue();
      assertThat(held.get("a").leaseId()).isNotEqualTo(first);
    }
  }

  @Test
  void cancelLeavesNothing() throws Exception {
    Engine here = engines.client();
    Engine there = engines.client();
    Lease last = there.lock("b").acquire();
    CompletableFuture<MultiLease> wait = here.allOf("a", "b").acquireAsync(Duration.ofMinutes(1));
    await().until(() -> there.lock("a").inspect().isPresent());
    wait.cancel(true);
    await().until(() -> here.ledger().isZero());
    there.lock("a").tryAcquire().orElseThrow().release();
    last.release();
  }

  @Test
  void anInterruptLeavesNothing() throws Exception {
    Engine here = engines.client();
    Lease last = engines.client().lock("b").acquire();
    Running<MultiLease> waiter = start(() -> here.allOf("a", "b").acquire());
    await().until(() -> here.lock("a").inspect().isPresent());
    waiter.thread.interrupt();
    assertThatThrownBy(waiter::result).hasCauseInstanceOf(InterruptedException.class);
    last.release();
  }

  @Test
  void overlappingSetsNeverWaitInACircle() throws Exception {
    List<Engine> clients = List.of(engines.client(), engines.client());
    List<Running<Void>> all = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 6; i++) {
      Engine client = clients.get(i % 2);
      Random random = new Random(i);
      all.add(
          start(
              () -> {
                for (int n = 0; n < 20; n++) {
                  List<String> names = new ArrayList<>(List.of("a", "b", "c", "d"));
                  Collections.shuffle(names, random);
                  names = names.subList(0, 2 + random.nextInt(3));
                  try (MultiLease held = client.allOf(names.toArray(new String[0])).acquire()) {
                    assertThat(held.isHeld()).isTrue();
                    done.incrementAndGet();
                  }
                }
                return null;
              }));
    }
    for (Running<Void> one : all) {
      await().atMost(Duration.ofSeconds(60)).until(one::isDone);
      one.result();
    }
    assertThat(done.get()).isEqualTo(120);
  }

  @Test
  void releaseOfOneThatWasLostStillReleasesTheOthers() throws Exception {
    Engine here = engines.client();
    Engine there = engines.client();
    MultiLease held = here.allOf("a", "b", "c").acquire();
    AtomicInteger told = new AtomicInteger();
    held.onLost(told::incrementAndGet);
    assertThat(there.lock("b").breakLease(held.get("b").fencingToken())).isTrue();
    assertThatThrownBy(() -> held.ensureHeld(Duration.ofSeconds(599).plusMillis(990)))
        .isInstanceOfAny(LeaseLostException.class, IllegalArgumentException.class);
    assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
    held.release();
    assertThat(there.allOf("a", "b", "c").tryAcquire().orElseThrow().isHeld()).isTrue();
    there.close();
  }

  @ParameterizedTest
  @EnumSource
  void aScopeOfSeveralHoldsThemAllAndLetsThemGo(Calls calls) throws Exception {
    engines.serve(calls);
    MultiLock both = engines.client().allOf("a", "b");
    MultiLock other = engines.client().allOf("b", "c");
    both.withLock(
        leases -> {
          assertThat(leases.isHeld()).isTrue();
          assertThat(thrownBy(() -> other.callWithLock(Duration.ofMillis(500), never -> 1)))
              .isEqualTo("LockTimeoutException");
        });
    assertThat(other.<String, RuntimeException>callWithLock(leases -> leases.get("c").name()))
        .isEqualTo("c");
    assertThatThrownBy(
            () ->
                both.withLock(
                    Duration.ofSeconds(5),
                    leases -> {
                      throw new IOException("of the work");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(engines.server().list()).isEmpty();
  }

  @Test
  void aScopeOfSeveralTellsOfALoss() throws Exception {
    MultiLock both = engines.client().allOf("a", "b");
    assertThatThrownBy(
            () ->
                both.withLock(
                    leases -> {
                      long token = leases.get("a").fencingToken();
                      engines.client().lock("a").breakLease(token);
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(engines.server().list()).isEmpty();
  }
}
