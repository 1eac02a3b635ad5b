package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is busy is waited for, for as long as the caller waits. */
class FileStoreHerdTest {
  @TempDir(factory = InMemory.class)
  Path dir;

  /** Where the driver unpacks its library. */
  @TempDir Path scratch;

  @Test
  @Tag("slow")
  void fortyProcessesThatMakeAFileAtOnceAllAcquireAndRelease() {
    allAcquireAndRelease(40);
  }

  @Test
  @Tag("slow")
  void twoHundredProcessesThatMakeAFileAtOnceAllAcquireAndRelease() {
    allAcquireAndRelease(200);
  }

  private void allAcquireAndRelease(int processes) {
    List<Child> herd = new ArrayList<>();
    try {
      for (int i = 0; i < processes; i++) {
        herd.add(
            Child.start(
                scratch,
                OneOfMany.class,
                dir.resolve("new/locks.db").toString(),
                dir.resolve("held").toString()));
      }
      herd.forEach(child -> assertThat(child.line()).isEqualTo("ready"));
      herd.forEach(child -> child.say("go"));
      List<String> tokens = new ArrayList<>();
      for (Child child : herd) {
        List<String> said = child.end();
        assertThat(said).hasSize(2).last().isEqualTo("exit 0");
        tokens.add(said.get(0));
      }
      assertThat(tokens).doesNotHaveDuplicates();
    } finally {
      herd.forEach(Child::close);
    }
  }

  @Test
  void aWaitThatBeginsWhileTheFileIsBusyOutlastsTheRequestTimeout() throws Exception {
    Path file = dir.resolve("locks.db");
    Fixture.open(file).close();
    try (LockClient client = client(file);
        Locker locker = new Locker(file, "IMMEDIATE")) {
      CompletableFuture<Lease> waiter = client.lock("a").acquireAsync(Duration.ofMinutes(1));
      long begin = System.nanoTime();
      assertThatThrownBy(() -> client.lock("c").tryAcquire())
          .isInstanceOf(StoreException.class)
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("a try waits for the request timeout")
          .isGreaterThanOrEqualTo(REQUEST);
      assertThatThrownBy(() -> client.lock("d").tryAcquire(REQUEST.multipliedBy(2)))
          .as("never an empty answer")
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("is busy")
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isGreaterThanOrEqualTo(REQUEST.multipliedBy(3));
      assertThat(waiter).isNotDone();
      locker.close();
      waiter.get(30, TimeUnit.SECONDS).release();
    }
  }

  private static final Duration REQUEST = Duration.ofMillis(200);

  private static LockClient client(Path file) {
    return Leasehold.builder(new JdbcStoreProvider().factory(StoreUrl.parse("file:" + file)))
        .requestTimeout(REQUEST)
        .build();
  }

  @Test
  void aFileThatIsBusyWhenItIsOpenedIsOpenedByTheFirstRequest() throws Exception {
    Path file = dir.resolve("locks.db");
    Files.createFile(file);
    Clock system = new SystemClock();
    Clock quick =
        new Clock() {
          @Override
          public long nanos() {
            return system.nanos() * 50;
          }

          @Override
          public long wallMillis() {
            return 0;
          }
        };
    Locker locker = new Locker(file, "EXCLUSIVE");
    try (locker;
        LeaseRowStore store = Fixture.open(file, quick, "boot", StatementHook.NONE)) {
      assertThatThrownBy(() -> Fixture.attempt(store, Fixture.tryOnce("a")))
          .isInstanceOf(StoreException.class)
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      locker.close();
      assertThat(Fixture.granted(store, Fixture.tryOnce("a")).number()).isEqualTo(1);
    }
  }

  /**
   * Without a pause inside the statement it would fail some 400 times, and 200 processes 80,000.
   */
  @Test
  void aRequestThatFindsTheFileBusyWaitsInsideItsStatement() throws Exception {
    Path file = dir.resolve("locks.db");
    Fixture.open(file).close();
    Probe begun = new Probe();
    try (Locker locker = new Locker(file, "IMMEDIATE");
        LeaseRowStore store = Fixture.open(file, begun)) {
      Ticket ticket = Fixture.tryOnce("a");
      assertThatThrownBy(() -> Fixture.get(store.attempt(ticket, Duration.ofSeconds(3))))
          .isInstanceOf(StoreException.class)
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      assertThat(begun.taken()).filteredOn("BEGIN IMMEDIATE"::equals).hasSizeBetween(1, 3);
      locker.close();
      assertThat(Fixture.granted(store, Fixture.tryOnce("b")).number()).isEqualTo(1);
    }
  }

  @Test
  void theLongerARequestHasWaitedTheRarerItLooks() {
    AtomicLong now = new AtomicLong();
    Patience patience = new Patience(new Limit(at(now), Duration.ofSeconds(10)));
    List<Integer> looks = new ArrayList<>();
    for (int second = 1; second <= 4; second++) {
      int count = 0;
      for (; now.get() < Duration.ofSeconds(second).toNanos(); count++) {
        now.addAndGet(patience.nanos());
      }
      looks.add(count);
    }
    assertThat(looks).isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(looks.get(0)).isBetween(100, 200);
    assertThat(looks.get(3)).isBetween(10, 30);
  }

  private static Clock at(AtomicLong now) {
    return new Clock() {
      @Override
      public long nanos() {
        return now.get();
      }

      @Override
      public long wallMillis() {
        return 0;
      }
    };
  }

  /** Another client in this process that is in the middle of a transaction until it is closed. */
  private static final class Locker implements AutoCloseable {
    private final Connection connection;

    Locker(Path file, String how) throws SQLException {
      connection = DriverManager.getConnection("jdbc:sqlite:" + file);
      try (Statement statement = connection.createStatement()) {
        statement.execute("BEGIN " + how);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
