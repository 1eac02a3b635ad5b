package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadingTurnTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Longer than any test. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Duration OFTEN = Duration.ofNanos(100_000);

  private final BlockingQueue<Integer> late = new LinkedBlockingQueue<>();
  private ReadingTurn turn = new ReadingTurn(new SystemClock(), LONG, late::add);
  private CompletableFuture<Void> offer = CompletableFuture.completedFuture(null);

  /** Whatever a test leaves, the thread gets it back. */
  @AfterEach
  void end() {
    turn.recall();
    turn.leave(null);
    assertThat(offer).succeedsWithin(PATIENCE);
  }

  private void pausesFor(Duration pause) {
    turn = new ReadingTurn(new SystemClock(), pause, late::add);
  }

  /** A caller has it: it was offered by a thread that has read what this one waited for. */
  private void taken() {
    assertThat(turn.take(() -> true)).isFalse();
    await().pollInterval(OFTEN).atMost(PATIENCE).until(this::take);
  }

  /** The thread offers nothing if it was asked for once more meanwhile, and may take it back. */
  private boolean take() {
    if (offer.isDone()) {
      offer = CompletableFuture.runAsync(turn::offer, command -> new Thread(command).start());
    }
    return turn.take(() -> true);
  }

  /** No caller has it, and one could. */
  private void freed() {
    taken();
    turn.leave(null);
  }

  private void returned() {
    assertThat(offer).succeedsWithin(PATIENCE);
    assertThat(turn.keep()).isTrue();
  }

  @Test
  void itIsTheThreadsUntilACallerAsks() {
    turn.offer();
    assertThat(turn.keep()).isTrue();
  }

  @Test
  void itIsNotOfferedBeforeTheCallerThatAskedIsServed() {
    assertThat(turn.take(() -> false)).isFalse();
    turn.offer();
    assertThat(turn.take(() -> true)).isFalse();
  }

  /** A ticket that came to wait since then relies on the thread. */
  @Test
  void itIsNotOfferedOnceItIsKept() {
    assertThat(turn.take(() -> true)).isFalse();
    assertThat(turn.keep()).isTrue();
    turn.offer();
    assertThat(turn.keep()).isTrue();
  }

  /** The caller that was served may have asked again for another ticket before the offer. */
  @Test
  void whatWasAskedBeforeIsNotTakenForWhatIsAskedNow() {
    boolean[] again = {false};
    assertThat(
            turn.take(
                () -> {
                  again[0] = !turn.take(() -> false);
                  return true;
                }))
        .isFalse();
    turn.offer();
    assertThat(again[0]).isTrue();
    assertThat(turn.keep()).isTrue();
  }

  @Test
  void oneCallerAtATimeHasIt() {
    taken();
    assertThat(turn.take(() -> true)).isFalse();
    turn.leave(null);
    assertThat(turn.take(() -> true)).isTrue();
    assertThat(offer).isNotDone();
  }

  @Test
  void itIsRecalledWhileNoCallerHasIt() {
    freed();
    turn.recall();
    returned();
    assertThat(turn.take(() -> true)).isFalse();
  }

  @Test
  void itIsRecalledFromACallerThatReadsToItsEnd() {
    taken();
    turn.recall();
    assertThat(turn.keep()).isTrue();
    assertThat(offer).isNotDone();
    turn.leave(null);
    returned();
  }

  @Test
  void whatACallerMetIsTheThreads() {
    taken();
    IllegalStateException met = new IllegalStateException("planted");
    turn.leave(met);
    returned();
    assertThat(turn.failure()).isSameAs(met);
    assertThat(turn.failure()).isNull();
  }

  @Test
  void theThreadTakesItBackIfNoCallerTakesIt() {
    pausesFor(SHORT);
    freed();
    returned();
  }

  @Test
  void aCallerThatReadsForLongIsTheLast() throws Exception {
    pausesFor(SHORT);
    taken();
    for (int pauses = 1; pauses <= 3; pauses++) {
      assertThat(late.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(pauses);
    }
    turn.leave(null);
    returned();
  }

  @Test
  void anInterruptOfTheThreadIsKept() {
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    assertThat(turn.take(() -> true)).isFalse();
    Thread thread =
        new Thread(
            () -> {
              turn.offer();
              flag.complete(Thread.currentThread().isInterrupted());
            });
    thread.start();
    await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    turn.recall();
    assertThat(flag).succeedsWithin(PATIENCE).isEqualTo(true);
  }
}
