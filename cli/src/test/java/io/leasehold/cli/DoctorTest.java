package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code doctor}. */
class DoctorTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void aSoundStoreIsShownWithWhatItIs() {
    Running.Result table = tool.run("doctor");

    assertThat(table.code()).as(table.err()).isZero();
    assertThat(table.err()).isEmpty();
    assertThat(table.out().lines().toList().get(0)).matches("LEVEL +CHECK +FOUND");
    assertThat(table.out())
        .containsPattern("\nOK +store +file:" + tool.store() + "\n")
        .containsPattern("\nOK +traits +the file store has FENCING, .*; it lacks ")
        .containsPattern("\nOK +ttl +100ms to 30d in steps of 1ms; 30s where none is chosen\n")
        .containsPattern("\n(OK|WARNING) +latency +\\d")
        .containsPattern("\nOK +fencing ")
        .doesNotContain("ERROR");

    Running.Result json = tool.run("doctor", "--json");
    assertThat(json.code()).isZero();
    assertThat(json.out())
        .startsWith("[{\"level\":\"ok\",\"check\":\"store\",\"detail\":\"file:" + tool.store())
        .endsWith("\"}]\n")
        .hasLineCount(1);
  }

  @Test
  void itSaysTheDdlWithoutAStoreAndWhatThatCreatesIsOne() throws Exception {
    Running.Result ddl = tool.run("doctor", "--ddl");

    assertThat(ddl.code()).as(ddl.err()).isZero();
    assertThat(ddl.err()).isEmpty();
    assertThat(tool.store()).as("nothing was opened").doesNotExist();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(ddl.out());
    }
    assertThat(tool.run("run", "x", "--", "true").code()).isZero();

    Path home = directory.resolve("home");
    Running.Result own =
        new Tool(directory)
            .without("LEASEHOLD_STORE")
            .with("XDG_STATE_HOME", home.toString())
            .run("doctor", "--ddl");
    assertThat(own.out()).isEqualTo(ddl.out());
    assertThat(home).doesNotExist();
  }

  @Test
  void aDatabaseIsLookedAtToo() {
    String url = "jdbc:h2:" + directory.resolve("locks") + ";PASSWORD=secret";
    Running.Result table = tool.run("--store", url, "doctor");

    assertThat(table.code()).as(table.err()).isZero();
    assertThat(table.err()).isEmpty();
    assertThat(table.out())
        .containsPattern("\nOK +server +H2 ")
        .containsPattern("\nOK +persistence +a file")
        .containsPattern("\nOK +schema +tables leasehold_\\*, version 1")
        .doesNotContain("secret");
    assertThat(tool.run("--store", url, "run", "x", "--", "true").code()).isZero();

    Running.Result ddl =
        tool.run("--store", "jdbc:postgresql://h/d?table=app.locks", "doctor", "--ddl");
    assertThat(ddl.code()).as(ddl.err()).isZero();
    assertThat(ddl.out()).contains("CREATE TABLE IF NOT EXISTS \"app\".\"locks_lock\"");

    Running.Result unknown = tool.run("--store", "jdbc:oracle:thin:secret@h", "doctor");
    assertThat(unknown.code()).isEqualTo(64);
    assertThat(unknown.err()).contains("jdbc:postgresql://").doesNotContain("secret");
  }

  @Test
  void aStoreThatCannotBeAskedIsNoFinding() throws IOException {
    Files.writeString(directory.resolve("letter.db"), "this is a letter. ".repeat(400));

    Running.Result refused = tool.run("--store", "file:letter.db", "doctor");
    assertThat(refused.code()).isEqualTo(77);
    assertThat(refused.err()).startsWith("leasehold: ").hasLineCount(1);
    assertThat(refused.out()).isEmpty();

    assertThat(tool.run("--store", "gopher://h", "doctor").code()).isEqualTo(64);
    assertThat(tool.run("--store", "gopher://h", "doctor", "--ddl").code()).isEqualTo(64);
  }
}
