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
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        Running waiter =
            tool.start("run", "--fair", "--ttl", "1h", "x", "--", "true")
                .awaitSaid("waiting for 'x'")) {
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

      Running.Result waited = tool.run("wait", "x", "--wait", "2s");
      assertThat(waited.code()).isEqualTo(75);
      assertThat(waited.err()).contains("waiting for 'x'", "did not come free").hasLineCount(2);
    }
  }

  @Test
  void aSignalEndsIt() {
    try (Running holder = tool.hold("x");
        Running one = tool.start("wait", "x");
        Running two = tool.start("wait", "x")) {
      for (Running waiting : List.of(one, two)) {
        waiting.awaitSaid("waiting for 'x'");
        waiting.signal("WINCH");
        waiting.signal("CONT");
      }
      one.signal("INT");
      two.signal("USR2");

      assertThat(one.end().code()).isEqualTo(130);
      assertThat(two.end().code()).isEqualTo(140);
      assertThat(holder.process().isAlive()).isTrue();
    }
  }

  /** Its path leads nowhere for a while: no client can ask. */
  @Test
  void aStoreThatGoesAwayMeanwhileIs75() throws IOException {
    try (Running holder = tool.hold("x");
        Running run = tool.start("run", "--wait", "10s", "x", "--", "true");
        Running look = tool.start("wait", "x", "--wait", "10s")) {
      run.awaitSaid("waiting for 'x'");
      look.awaitSaid("waiting for 'x'");
      goAway();
      try {
        for (Running waiting : List.of(run, look)) {
          Running.Result result = waiting.end();

          assertThat(result.code()).as(result.err()).isEqualTo(75);
          assertThat(result.err()).contains(tool.store().toString()).hasLineCount(2);
        }
      } finally {
        comeBack();
      }
      assertThat(holder.process().isAlive()).isTrue();
    }
  }

  @Test
  void aStoreThatIsNotThereYetIsAskedAgainUntilTheWaitIsOver() throws IOException {
    Files.createSymbolicLink(tool.store(), tool.store());
    try (Running run = tool.start("run", "--wait", "1h", "x", "--", "echo", "ran");
        Running look = tool.start("wait", "x", "--wait", "1h");
        Running signalled = tool.start("run", "--wait", "1h", "x", "--", "true");
        Running hurried = tool.start("run", "--wait", "400ms", "x", "--", "true");
        Running patient = tool.start("run", "x", "--", "true")) {
      for (Running waiting : List.of(run, look, signalled)) {
        waiting.awaitSaid("leasehold: no answer yet, asking again: ");
      }
      signalled.signal("TERM");
      assertThat(signalled.end().code()).isEqualTo(143);
      Running.Result late = hurried.end();
      assertThat(late.code()).as(late.err()).isEqualTo(69);
      assertThat(late.err()).contains(tool.store().toString());
      Running.Result failed = patient.end();
      assertThat(failed.code()).as("without --wait, of which it must be the first").isEqualTo(69);
      assertThat(failed.err()).contains(tool.store().toString()).hasLineCount(1);
      assertThat(run.process().isAlive() && look.process().isAlive()).isTrue();

      Files.delete(tool.store());

      assertThat(run.end()).isEqualTo(new Running.Result(0, "ran\n", Tool.read(run.err())));
      assertThat(look.end().code()).isZero();
      assertThat(Tool.read(run.err())).hasLineCount(1);
    }
  }

  @Test
  void aStoreThatIsBackInTimeIsAskedAgain() throws IOException {
    try (Running holder = tool.hold("x");
        Running waiting = tool.start("wait", "x").awaitSaid("waiting for 'x'")) {
      goAway();
      // No process can hold it there: while the store is away that is not known
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
