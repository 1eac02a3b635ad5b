package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callers may be virtual threads; nothing pins them. */
@Timeout(90)
@Tag("jdk")
class VirtualThreadsTest {
  private static final int THREADS = 2_000;
  private static final long JOIN_MILLIS = 30_000;

  private static final Pattern FIRST_OF_RECORDER = Pattern.compile("frames = \\[\\s*jdk\\.jfr\\.");

  @TempDir Path directory;

  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  @EnabledForJreRange(min = JRE.JAVA_21)
  void areNotPinned(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    // The first use of a class loads it, also that of our events once they are recorded, and
    // loading
    // a class pins: that is the JVM's, and happens once
    try (Recording first = new Recording()) {
      first.start();
      crowd(one, two);
    }
    try (Recording recording = new Recording()) {
      recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      crowd(one, two);
      recording.stop();
      assertThat(pinned(recording)).isEmpty();
    }
  }

  /** An interrupt would close the socket under it, and fail all that share the connection. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void makeNoRequestThemselves() throws Exception {
    engines.serve(Calls.BLOCKING);
    Set<String> made = ConcurrentHashMap.newKeySet();
    Set<String> madeOnVirtual = ConcurrentHashMap.newKeySet();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  made.add(call.verb());
                  if (isVirtual(Thread.currentThread())) {
                    madeOnVirtual.add(call.verb());
                  }
                  return call.proceed();
                }),
            b -> b.ttl(Duration.ofSeconds(30)));
    Lease held = engines.client().lock("n").acquire();
    CompletableFuture<String> end = new CompletableFuture<>();
    Thread caller =
        startVirtual(
            () -> {
              try {
                assertThat(one.lock("n").tryAcquire()).isEmpty();
                assertThat(one.lock("n").tryAcquire(Duration.ofMillis(500))).isEmpty();
                held.release();
                Lease lease = one.lock("n").acquire();
                lease.ensureHeld(Duration.ofMillis(29_500));
                assertThat(one.lock("n").inspect()).isPresent();
                Thread.currentThread().interrupt();
                lease.release();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                one.lock("n").tryAcquire().orElseThrow().release();
                assertThat(Thread.interrupted()).isTrue();
                end.complete("");
              } catch (InterruptedException | RuntimeException | AssertionError e) {
                end.completeExceptionally(e);
              }
            });
    assertThat(end.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(join(caller)).isTrue();
    assertThat(made).contains("attempt", "watch", "renew", "release", "withdraw");
    madeOnVirtual.removeAll(Set.of("traits", "operator"));
    assertThat(madeOnVirtual).isEmpty();
  }

  private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
    return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
  }

  /** Many virtual threads, one lock: each has it once. */
  private static void crowd(Engine one, Engine two) throws Exception {
    AtomicInteger counter = new AtomicInteger();
    int[] guarded = new int[1];
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Engine engine = i % 2 == 0 ? one : two;
      threads.add(
          startVirtual(
              () -> {
                try (Lease lease = engine.lock("n").acquire()) {
                  guarded[0]++;
                  assertThat(lease.isHeld()).isTrue();
                  counter.incrementAndGet();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }));
    }
    for (Thread thread : threads) {
      assertThat(join(thread)).isTrue();
    }
    assertThat(counter).hasValue(THREADS);
    assertThat(guarded[0]).isEqualTo(THREADS);
  }

  /** Where a virtual thread of ours was pinned. */
  private List<String> pinned(Recording recording) throws IOException {
    Path file = directory.resolve("pinned.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned"))
        .map(event -> String.valueOf(event.getStackTrace()))
        .filter(stack -> stack.contains("io.leasehold"))
        // What the recorder itself does to write an event of ours
        .filter(stack -> !FIRST_OF_RECORDER.matcher(stack).find())
        .toList();
  }

  private static boolean join(Thread thread) throws InterruptedException {
    thread.join(JOIN_MILLIS);
    return !thread.isAlive();
  }

  /** {@code Thread.startVirtualThread}, which the baseline does not have. */
  private static Thread startVirtual(Runnable work) throws ReflectiveOperationException {
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    return (Thread) start.invoke(null, work);
  }
}
