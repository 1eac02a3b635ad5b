package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk of the server that is full: who needs room is told, and what is held is not lost. */
class FullDiskTest extends ServerTest {
  /** More than the files of any server have room for. */
  private static final int MANY = 20_000;

  private static final Duration SHORT = Duration.ofSeconds(3);

  @ParameterizedTest
  @EnumSource
  void whoNeedsRoomIsToldAndWhatIsHeldStands(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).withFillableDisk().start()) {
      Engine client = client(server, how -> how.ttl(SHORT));
      AtomicInteger lost = new AtomicInteger();
      Lease held = client.lock("held").acquire();
      held.onLost(lost::incrementAndGet);
      server.fillDisk();
      List<Lease> others = new ArrayList<>();
      StoreException told = fill(client, others);
      assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE);
      assertThat(told)
          .hasMessageContaining(server.host())
          .hasMessageNotContaining(server.password());
      pass(SHORT.plusSeconds(1));
      assertThat(held.isHeld()).as("renewed: its row is there").isTrue();
      others.get(0).release();
      server.freeDisk();
      for (Lease other : others.subList(1, others.size())) {
        other.release();
      }
      requireSoon(client.lock("one more"));
      held.release();
      assertThat(lost).hasValue(0);
      requireNothingLeft(client);
      client.close();
    }
  }

  /** Takes new names, until one fails: in no more time than a request has. */
  private static StoreException fill(Engine client, List<Lease> taken) throws Exception {
    for (int i = 0; i < MANY; i++) {
      long begin = System.nanoTime();
      try {
        taken.add(client.lock("x".repeat(200) + i).acquire());
      } catch (StoreException told) {
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
        return told;
      }
    }
    throw new AssertionError("the disk is not full");
  }
}
