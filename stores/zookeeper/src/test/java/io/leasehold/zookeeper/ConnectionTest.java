package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection that could not be ended would keep its session, and the locks in it, for ever. */
class ConnectionTest {
  private static final Duration TTL = Duration.ofSeconds(30);

  private final Threads threads = new Threads();
  private final AtomicInteger ended = new AtomicInteger();

  @AfterEach
  void end() {
    threads.close();
  }

  @Test
  void endsThoughNoThreadCanBeStartedForAMoment() throws Exception {
    Connection connection = connection(new Refusing(threads, 2), () -> {});
    assertThatCode(connection::close).doesNotThrowAnyException();
    assertThat(connection.close().get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(ended).hasValue(1);
  }

  @Test
  void endsThoughTheClientLibraryFails() throws Exception {
    Connection connection =
        connection(
            threads,
            () -> {
              throw new IllegalStateException("of the test");
            });
    assertThat(connection.close().get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(ended).hasValue(1);
  }

  private Connection connection(Scheduler scheduler, Runnable failing) {
    Connection.Source source =
        (ttl, watcher) -> {
          ZooKeeper zk = unconnected();
          return new Connection.Handle(
              zk,
              () -> {},
              () -> {
                zk.close();
                ended.incrementAndGet();
                failing.run();
              });
        };
    Connection.Setting setting =
        new Connection.Setting(
            "no server",
            false,
            source,
            Tree.of("", Optional.empty(), Layout.OWN),
            path -> List.of());
    return new Connection(setting, TTL, () -> {}, new SystemClock(), scheduler).open(TTL);
  }

  private static ZooKeeper unconnected() {
    try {
      return new ZooKeeper("127.0.0.1:1", (int) TTL.toMillis(), event -> {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has no thread for the first requests. */
  private static final class Refusing implements Scheduler {
    private final Scheduler threads;
    private final AtomicInteger left;

    Refusing(Scheduler threads, int times) {
      this.threads = threads;
      this.left = new AtomicInteger(times);
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
      return threads.schedule(task, delayNanos);
    }

    @Override
    public void request(Runnable task) {
      if (left.getAndDecrement() > 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      threads.request(task);
    }

    @Override
    public void renewal(Runnable task) {
      threads.renewal(task);
    }

    @Override
    public void callback(Runnable task) {
      threads.callback(task);
    }

    @Override
    public void close() {
      threads.close();
    }
  }
}
