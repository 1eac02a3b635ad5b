package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code wait}, and what becomes of waiting when the store goes away. */
class WaitTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void returnsAtOnceIfNobodyHoldsIt() {
    for (String[] words : new String[][] {{"wait", "x"}, {"wait", "x", "--wait", "0"}}) {
      Running.Result result = tool.run(words);

      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out() + result.err()).isEmpty();
    }
  }

  @Test
  void returnsWhenItComesFreeAndNobodyKnewOfIt() throws Exception {
    try (Running holder = tool.hold("x");
        Running one = tool.start("wait", "x").awaitSaid("waiting for 'x', held by");
        Running two = tool.start("wait", "x", "--wait", "1h").awaitSaid("waiting for 'x'")) {
      assertThat(tool.run("who", "--json", "x").out()).contains("\"waiters\":[]");
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT count(*) FROM leasehold_queue")) {
        assertThat(row.getInt(1)).isZero();
      }
      assertThat(one.process().isAlive() && two.process().isAlive()).isTrue();

      holder.signal("TERM");

      Running.Result result = one.end();
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains("/" + holder.pid() + "/").hasLineCount(1);
      assertThat(two.end().code()).isZero();
    }
  }

  @Test
  void aNameThatIsOnlyWaitedForIsFree() {
    try (Running holder = tool.hold("x");
        Running waiter = tool.start("run", "x", "--", "true").awaitSaid("waiting for 'x'")) {
      tool.awaitWaits("x", waiter);
      waiter.signal("STOP");
      holder.signal("TERM");
      holder.end();

      assertThat(tool.run("wait", "x", "--wait", "0").code()).isZero();
      assertThat(tool.run("who", "x").out()).contains("waits").doesNotContain("held");
    }
  }

  @Test
  void whatIsStillHeldWhenTheTimeIsOverIs75() {
    try (Running holder = tool.hold("x")) {
      Running.Result once = tool.run("wait", "x", "--wait", "0");
      assertThat(once.code()).isEqualTo(75);
      assertThat(once.err())
          .startsWith("leasehold: 'x' did not come free: held by ")
          .contains("/" + holder.pid() + "/")
          .hasLineCount(1);

      Running.Result waited = tool.run("wait", "x", "--wait", "300ms");
      assertThat(waited.code()).isEqualTo(75);
      assertThat(waited.err()).contains("waiting for 'x'", "did not come free").hasLineCount(2);
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "USR1, 138"})
  void aSignalEndsIt(String signal, int code) {
    try (Running holder = tool.hold("x");
        Running waiting = tool.start("wait", "x").awaitSaid("waiting for 'x'")) {
      waiting.signal("WINCH");
      waiting.signal("CONT");
      waiting.signal(signal);

      assertThat(waiting.end().code()).isEqualTo(code);
      assertThat(holder.process().isAlive()).isTrue();
    }
  }

  /** Its path leads nowhere for a while: whoever asks, cannot. */
  @ParameterizedTest
  @ValueSource(strings = {"run --wait 3s x -- true", "wait x --wait 3s"})
  void aStoreThatGoesAwayMeanwhileIs75(String line) throws IOException {
    try (Running holder = tool.hold("x");
        Running waiting = tool.start(line.split(" ")).awaitSaid("waiting for 'x'")) {
      goAway();
      try {
        Running.Result result = waiting.end();

        assertThat(result.code()).as(result.err()).isEqualTo(75);
        assertThat(result.err()).contains(tool.store().toString()).hasLineCount(2);
      } finally {
        comeBack();
      }
      assertThat(holder.process().isAlive()).isTrue();
    }
  }

  @Test
  void aStoreThatIsBackInTimeIsAskedAgain() throws IOException {
    try (Running holder = tool.hold("x");
        Running waiting = tool.start("wait", "x").awaitSaid("waiting for 'x'")) {
      goAway();
      // Nobody can hold it there: while the store is away that is not known
      assertThat(tool.run("wait", "x", "--wait", "0").code()).isEqualTo(69);
      assertThat(waiting.process().isAlive()).isTrue();
      comeBack();
      assertThat(waiting.process().isAlive()).isTrue();

      holder.signal("TERM");
      assertThat(waiting.end().code()).isZero();
    }
  }

  private void goAway() throws IOException {
    Path loop = directory.resolve("loop");
    Files.createSymbolicLink(loop, tool.store());
    Files.createLink(directory.resolve("kept.db"), tool.store());
    Files.move(loop, tool.store(), StandardCopyOption.ATOMIC_MOVE);
  }

  private void comeBack() throws IOException {
    Files.move(directory.resolve("kept.db"), tool.store(), StandardCopyOption.ATOMIC_MOVE);
  }
}
