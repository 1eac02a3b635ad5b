package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Threads;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A driver, or the JVM below it, that fails in a way of its own costs no connection for ever. */
class OwnLanesTest {
  private static final int MOST = 2;

  private final AtomicInteger errors = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();
  private final ManualClock clock = new ManualClock();
  private final Threads threads = new Threads();
  private final OwnLanes lanes = lanes();

  private OwnLanes lanes() {
    Dialect dialect = new MySqlDialect();
    ServerErrors failures = new ServerErrors("the server", dialect);
    return new OwnLanes(this::open, dialect, failures, clock, threads, MOST);
  }

  private Session open() throws SQLException {
    failNow();
    opened.incrementAndGet();
    return new Session(
        GivenConnections.seen(
            DriverManager.getConnection("jdbc:h2:mem:"),
            (method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                failNow();
              }
            }),
        StatementHook.NONE);
  }

  private void failNow() {
    if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new StackOverflowError("planted");
    }
  }

  @AfterEach
  void close() {
    lanes.close();
    threads.close();
  }

  private Session take() {
    return lanes.take(new Limit(clock, Duration.ofSeconds(30)));
  }

  private static void requireUsable(Session session) throws SQLException {
    List<Integer> rows = session.query("SELECT 1", Map.of(), row -> row.getInt(1));
    assertThat(rows).containsExactly(1);
  }

  @Test
  void whileOneIsMade() throws Exception {
    errors.set(MOST + 1);
    for (int i = 0; i <= MOST; i++) {
      assertThatThrownBy(this::take)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
          .hasMessageContaining("planted");
    }
    requireUsable(take());
  }

  @Test
  void whileOneIsAskedWhetherItIsThere() throws Exception {
    for (int i = 0; i <= MOST; i++) {
      lanes.giveBack(take());
      clock.advance(Duration.ofSeconds(10));
      errors.set(1);
    }
    requireUsable(take());
    assertThat(errors).hasValue(0);
    assertThat(opened).hasValue(MOST + 2);
  }
}
