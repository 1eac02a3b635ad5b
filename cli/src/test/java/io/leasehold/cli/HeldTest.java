package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code who} and {@code list}. */
class HeldTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void whoShowsTheHolderAndTheWaiter() {
    try (Running holder = tool.hold("x");
        Running waiter = tool.start("run", "x", "--", "true").awaitSaid("waiting")) {
      tool.awaitWaits("x", waiter);
      Running.Result table = tool.run("who", "x");
      Running.Result json = tool.run("who", "--json", "x");

      assertThat(table.code()).isZero();
      assertThat(table.out().lines().toList().get(0).split(" +", -1))
          .containsExactly("NAME", "STATE", "MODE", "HOLDER", "SINCE", "FOR", "TOKEN", "REMAINING");
      assertThat(table.out().lines().toList().get(1))
          .contains("held", "exclusive", "/" + holder.pid() + "/", "Z");
      assertThat(table.out().lines().toList().get(2)).contains("waits", "/" + waiter.pid() + "/");
      assertThat(json.out())
          .matches(
              "\\{\"name\":\"x\",\"holders\":\\[\\{\"leaseId\":\"[0-9a-f]{32}\",\"holder\":\"[^\"]+\",\"mode\":\"exclusive\",\"since\":\"[0-9T:.-]+Z\",\"permits\":1,\"token\":\"\\d+\",\"heldForMillis\":\\d+,\"remainingMillis\":\\d+}],"
                  + "\"waiters\":\\[\\{\"leaseId\":\"[0-9a-f]{32}\",\"holder\":\"[^\"]+\",\"mode\":\"exclusive\",\"since\":\"[0-9T:.-]+Z\",\"waitedForMillis\":\\d+}]}\n");
      holder.signal("TERM");
      assertThat(waiter.end().code()).isZero();
    }
  }

  /** The command and the tool have ended. */
  @Test
  void aMinHoldKeepsOthersOut() {
    assertThat(tool.run("run", "--min-hold", "10m", "--ttl", "1s", "x", "--", "true").code())
        .isZero();
    assertThat(tool.run("run", "-n", "x", "--", "true").code()).isEqualTo(75);
    assertThat(tool.run("who", "x").out()).contains("held").containsPattern("(9|10)m");
  }

  @Test
  void everyHolderAndWaiterHasALineWithItsMode() {
    try (Running one = tool.hold("x", "--shared");
        Running two = tool.hold("x", "--shared");
        Running writer = tool.start("run", "x", "--", "true");
        Running slots = tool.hold("slots", "--permits", "2/5");
        Running slot = tool.hold("slots", "--permits", "1/5");
        Running many = tool.start("run", "--permits", "5/5", "slots", "--", "true")) {
      tool.awaitWaits("x", writer);
      tool.awaitWaits("slots", many);

      assertThat(shown("slots"))
          .containsExactly(
              "held 2 permits " + slots.pid(),
              "held 1 permit " + slot.pid(),
              "waits permits " + many.pid());
      assertThat(shown("x"))
          .containsExactly(
              "held shared " + one.pid(),
              "held shared " + two.pid(),
              "waits exclusive " + writer.pid());
      assertThat(tool.run("list").out()).hasLineCount(7);
      assertThat(tool.run("who", "--json", "slots").out())
          .contains("\"mode\":\"permits\"", "\"permits\":2", "\"permits\":1");
    }
  }

  /** State, mode and process of each line, by columns, which begin where their heading does. */
  private List<String> shown(String name) {
    List<String> lines = tool.run("who", name).out().lines().toList();
    int state = lines.get(0).indexOf("STATE");
    int mode = lines.get(0).indexOf("MODE");
    int holder = lines.get(0).indexOf("HOLDER");
    return lines.stream()
        .skip(1)
        .map(
            line ->
                line.substring(state, mode).strip()
                    + " "
                    + line.substring(mode, holder).strip()
                    + " "
                    + line.substring(holder).split("/", -1)[1])
        .toList();
  }

  @Test
  void theTokenShownIsThatOfTheCommand() {
    Path token = directory.resolve("token");
    try (Running holder =
        tool.start("run", "x", "--", "sh", "-c", "echo $LEASEHOLD_TOKEN > token; exec sleep 600")) {
      String seen = Tool.awaitContent(token);

      assertThat(holder.process().isAlive()).isTrue();
      assertThat(tool.run("who", "--json", "x").out()).contains("\"token\":\"" + seen + "\"");
      assertThat(tool.run("who", "x").out()).contains(" " + seen + " ");
      assertThat(Long.parseLong(seen) % 1024).isZero();
    }
  }

  @Test
  void aFreeNameIsExitOne() {
    Running.Result result = tool.run("who", "x");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).isEqualTo("leasehold: 'x' is free\n");

    Running.Result json = tool.run("who", "--json", "x");
    assertThat(json.code()).isEqualTo(1);
    assertThat(json.out()).isEqualTo("{\"name\":\"x\",\"holders\":[],\"waiters\":[]}\n");
    assertThat(json.err()).isEmpty();
  }

  @Test
  void listShowsWhatMatches() {
    assertThat(tool.run("list").out()).isEmpty();
    assertThat(tool.run("list", "--json").out()).isEqualTo("[]\n");
    try (Running a = tool.hold("invoice-1");
        Running b = tool.hold("invoice-22");
        Running c = tool.hold("evil\n\u001b[31m\"name")) {
      assertThat(a.process().isAlive() && b.process().isAlive() && c.process().isAlive()).isTrue();

      assertThat(tool.run("list").out()).hasLineCount(4).contains("evil\\n\\u{1b}[31m\"name");
      assertThat(tool.run("list", "invoice-?").out()).hasLineCount(2).contains("invoice-1");
      assertThat(tool.run("list", "*2").out()).hasLineCount(2).contains("invoice-22");
      assertThat(tool.run("list", "--json", "evil*").out())
          .hasLineCount(1)
          .contains("\"name\":\"evil\\n\\u001b[31m\\\"name\"");
      assertThat(tool.run("list", "--json", "nothing").out()).isEqualTo("[]\n");
    }
  }
}
