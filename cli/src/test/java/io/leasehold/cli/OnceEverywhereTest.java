package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.SqlServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many processes ask for one key at once, on each kind of store. */
class OnceEverywhereTest {
  private static final int PROCESSES = 16;
  private static final String COMMAND =
      "echo >> ran; head -c 2000 /dev/urandom | od -An -tx1; exit 3";

  @TempDir Path directory;

  @Test
  void oneOfManyRunsItInAFile() throws Exception {
    oneRunsIt("file:" + directory.resolve("once.db"));
  }

  @Test
  void oneOfManyRunsItOnRedis() throws Exception {
    try (RedisServer server = RedisServer.of(RedisServer.Kind.REDIS_7_0).start()) {
      oneRunsIt(server.url() + "?prefix=once:");
    }
  }

  @Test
  void oneOfManyRunsItOnPostgresqlWhoseTablesDoctorPrints() throws Exception {
    try (SqlServer server = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).start()) {
      Tool tool = new Tool(directory).with("LEASEHOLD_STORE", server.jdbcUrl());
      Running.Result refused = tool.run("once", "k", "--", "true");
      assertThat(refused.code()).isEqualTo(77);
      assertThat(refused.err()).contains("leasehold doctor --ddl").hasLineCount(1);
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
          Statement statement = connection.createStatement()) {
        statement.execute(tool.run("doctor", "--ddl").out());
      }
      oneRunsIt(server.jdbcUrl());
    }
  }

  private void oneRunsIt(String url) throws Exception {
    Tool tool = new Tool(directory).with("LEASEHOLD_STORE", url);
    List<Running> all = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        all.add(tool.start("once", "--wait", "10m", "k", "--", "bash", "-c", COMMAND));
      }
      String first = "";
      for (Running running : all) {
        Running.Result result = running.end();
        assertThat(result.code()).as(result.err()).isEqualTo(3);
        first = first.isEmpty() ? result.out() : first;
        assertThat(result.out()).hasSizeGreaterThan(6000).isEqualTo(first);
      }
    } finally {
      all.forEach(Running::close);
    }
    assertThat(Files.readAllLines(directory.resolve("ran"))).hasSize(1);
  }
}
