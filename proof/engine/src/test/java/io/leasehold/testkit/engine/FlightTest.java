package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What Java Flight Recorder has of locks, and what that costs while it is off. */
@Timeout(120)
class FlightTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final List<String> KINDS =
      List.of("Acquire", "Hold", "Lost", "Jeopardy", "RenewalFailure");

  @TempDir Path directory;
  @RegisterExtension final Engines engines = new Engines();

  private List<RecordedEvent> of(Recording recording, String kind) throws Exception {
    Path file = directory.resolve(kind + ".jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("io.leasehold." + kind))
        .toList();
  }

  @Test
  void waitsAndHoldsAreRecorded() throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      Engine one = engines.client();
      Engine two = engines.client();
      Lease lease = one.lock("n").acquire();
      assertThat(two.lock("n").tryAcquire()).isEmpty();
      long token = lease.fencingToken();
      lease.release();
      List<RecordedEvent> waits = of(recording, "Acquire");
      assertThat(waits)
          .extracting(event -> event.getString("outcome"))
          .containsExactlyInAnyOrder("granted", "busy");
      RecordedEvent granted =
          waits.stream().filter(e -> e.getLong("token") == token).findFirst().orElseThrow();
      assertThat(granted.getString("lock")).isEqualTo("n");
      assertThat(granted.getString("leaseId")).isEqualTo(lease.leaseId());
      assertThat(granted.getThread("caller").getJavaName())
          .isEqualTo(Thread.currentThread().getName());
      assertThat(granted.getDuration("waited")).isPositive();
      RecordedEvent hold = of(recording, "Hold").get(0);
      assertThat(hold.getString("end")).isEqualTo("released");
      assertThat(hold.getLong("token")).isEqualTo(token);
      assertThat(hold.getDuration("held")).isPositive();
      assertThat(of(recording, "Lost")).isEmpty();
    }
  }

  @Test
  void failuresOfRenewalJeopardyAndLossAreRecorded() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    try (Recording recording = new Recording()) {
      recording.start();
      Engine one = engines.client(factory, b -> b.ttl(Duration.ofMillis(900)));
      Lease lease = one.lock("n").acquire();
      factory.become(Mood.UNAVAILABLE, "renew");
      await().atMost(SOON).until(() -> !engines.events(LockEvent.Lost.class).isEmpty());
      factory.become(Mood.NORMAL);
      assertThat(engines.events(LockEvent.RenewalFailed.class)).isNotEmpty();
      RecordedEvent failure = of(recording, "RenewalFailure").get(0);
      assertThat(failure.getString("leaseId")).isEqualTo(lease.leaseId());
      assertThat(failure.getString("failure")).isEqualTo("UNKNOWN_OUTCOME");
      assertThat(of(recording, "Jeopardy"))
          .singleElement()
          .satisfies(event -> assertThat(event.getDuration("remaining")).isPositive());
      assertThat(of(recording, "Lost"))
          .singleElement()
          .satisfies(event -> assertThat(event.getString("reason")).isEqualTo("EXPIRED"));
      assertThat(of(recording, "Hold"))
          .singleElement()
          .satisfies(event -> assertThat(event.getString("end")).isEqualTo("lost"));
      assertThat(engines.server().breakLease("n", FenceNumber.number(lease.fencingToken())))
          .isIn(true, false);
    }
  }

  /** Also where the recorder runs, for other events. */
  @Test
  void nothingIsAllocatedForEventsThatAreNotRecorded() throws Exception {
    DistributedLock lock = engines.client().lock("n");
    long without = bytesOfALock(lock);
    try (Recording recording = new Recording()) {
      KINDS.forEach(kind -> recording.disable("io.leasehold." + kind));
      recording.start();
      // Half an object's header: the count has the noise of the threads' own buffers. And it may be
      // less than before: the compiler saves objects as it goes on
      assertThat(bytesOfALock(lock)).isLessThanOrEqualTo(without + 8);
    }
    try (Recording recording = new Recording()) {
      KINDS.forEach(kind -> recording.enable("io.leasehold." + kind));
      recording.start();
      assertThat(bytesOfALock(lock)).as("the count sees them").isGreaterThan(without + 50);
    }
  }

  private static long bytesOfALock(DistributedLock lock) throws InterruptedException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int locks = 20_000;
    long least = Long.MAX_VALUE;
    // The least of several counts: the compiler saves objects as it goes on
    for (int i = 0; i < 8; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int j = 0; j < locks; j++) {
        lock.withLock(lease -> {});
      }
      least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / locks);
    }
    return least;
  }
}
