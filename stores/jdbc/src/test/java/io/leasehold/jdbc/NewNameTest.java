package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LockStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A name that was never used. */
class NewNameTest extends ServerTest {
  /** By far: a locked row of the name counts as busy after one second. */
  private static final int LONGER_THAN_A_MOMENT = 3;

  /** Of which a machine that does much else may make a long one. */
  @ParameterizedTest
  @EnumSource
  void isNotTakenForBusyBecauseOfASweep(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    LockStore store = store(server);
    try (Connection sweep = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = sweep.createStatement()) {
      sweep.setAutoCommit(false);
      statement.executeQuery("SELECT swept FROM " + tables() + "_meta WHERE one = 1 FOR UPDATE");
      CompletableFuture<Attempt> attempt =
          CompletableFuture.supplyAsync(() -> Fixture.attempt(store, Fixture.tryOnce("new")));
      assertThatThrownBy(() -> attempt.get(LONGER_THAN_A_MOMENT, TimeUnit.SECONDS))
          .as("the attempt waits for the sweep")
          .isInstanceOf(TimeoutException.class);
      sweep.rollback();
      assertThat(attempt).succeedsWithin(PATIENCE).isInstanceOf(Attempt.Granted.class);
    }
  }
}
