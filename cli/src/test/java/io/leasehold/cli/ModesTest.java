package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --shared}, {@code --permits} and {@code --fair}, with every holder a process. */
class ModesTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void readersAreTogetherAndAWriterIsAlone() {
    try (Running one = tool.hold("x", "--shared");
        Running two = tool.hold("x", "--shared")) {
      assertThat(attempt("--shared")).isZero();
      assertThat(attempt()).isEqualTo(75);

      try (Running writer =
          tool.start("run", "x", "--", "sh", "-c", "echo > writes; exec sleep 600")) {
        tool.awaitWaits("x", writer);
        assertThat(attempt("--shared")).as("it would overtake the writer").isEqualTo(75);
        one.signal("TERM");
        one.end();
        assertThat(attempt()).isEqualTo(75);
        assertThat(directory.resolve("writes")).doesNotExist();
        two.signal("TERM");

        Tool.awaitContent(directory.resolve("writes"));
        assertThat(attempt("--shared")).isEqualTo(75);
      }
    }
  }

  @Test
  void noMorePermitsAreOutThanThereAre() throws IOException {
    // The first one ends only when a second has begun: so two of them are seen at once
    String work =
        "echo + >> log; until [ $(grep -c + log) -ge 2 ]; do sleep 0.02; done; sleep 0.2; echo - >> log";
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(tool.start("run", "--permits", "2/5", "x", "--", "sh", "-c", work));
    }
    try {
      for (Running running : all) {
        Running.Result result = running.end();
        assertThat(result.code()).as(result.err()).isZero();
      }
    } finally {
      all.forEach(Running::close);
    }

    int now = 0;
    int most = 0;
    for (String line : Files.readAllLines(directory.resolve("log"))) {
      now += line.equals("+") ? 1 : -1;
      most = Math.max(most, now);
    }
    assertThat(now).isZero();
    assertThat(most).as("five are enough for two twice").isEqualTo(2);
  }

  @Test
  void anotherKindOnTheSameNameIs64AndSaysWhichItIs() {
    try (Running slots = tool.hold("x", "--permits", "2/5")) {
      for (String[] other : new String[][] {{}, {"--shared"}, {"--fair"}, {"--permits", "1/6"}}) {
        Running.Result result = tool.run(run(other));
        assertThat(result.code()).as(result.err()).isEqualTo(64);
        assertThat(result.err())
            .startsWith("leasehold: lock 'x': it is in use as a semaphore of 5 permits")
            .hasLineCount(1);
      }
      assertThat(attempt("--permits", "3/5")).isZero();
      assertThat(attempt("--permits", "4/5")).isEqualTo(75);
      slots.signal("TERM");
      slots.end();
    }
    try (Running lock = tool.hold("x")) {
      Running.Result result = tool.run(run("--permits", "1/6"));
      assertThat(result.code()).isEqualTo(64);
      assertThat(result.err()).contains("'x': it is in use as a lock").hasLineCount(1);
      assertThat(lock.process().isAlive()).isTrue();
    }
  }

  @Test
  void fairWaitersAreServedInOrderAndADeadOneIsPassedOver() throws IOException {
    List<Running> waiters = new ArrayList<>();
    try (Running holder = tool.hold("x", "--fair")) {
      for (int i = 1; i <= 5; i++) {
        // The one that dies drops out when its place is not kept for a ttl
        String ttl = i == 3 ? "2s" : "30s";
        Running waiter =
            tool.start(
                "run", "--fair", "--ttl", ttl, "x", "--", "sh", "-c", "echo " + i + " >> order");
        waiters.add(waiter);
        tool.awaitWaits("x", waiter);
      }
      waiters.get(2).signal("KILL");
      waiters.get(2).end();
      holder.signal("TERM");

      for (int i : new int[] {0, 1, 3, 4}) {
        Running.Result result = waiters.get(i).end();
        assertThat(result.code()).as(result.err()).isZero();
      }
    } finally {
      waiters.forEach(Running::close);
    }
    assertThat(Files.readAllLines(directory.resolve("order"))).containsExactly("1", "2", "4", "5");
  }

  @Test
  void oneReadersLeaseCanBeBrokenAndTheOtherGoesOn() {
    try (Running one = tool.hold("x", "--shared", "--ttl", "6s");
        Running two = tool.hold("x", "--shared", "--ttl", "6s")) {
      String json = tool.run("who", "--json", "x").out();
      String ofOne = json.replaceAll("(?s).*?/" + one.pid() + "/.*?\"token\":\"(\\d+)\".*", "$1");

      assertThat(tool.run("break", "x", "--token", ofOne).code()).isZero();

      assertThat(one.end().code()).isEqualTo(76);
      assertThat(tool.run("who", "x").out())
          .contains("/" + two.pid() + "/")
          .doesNotContain("/" + one.pid() + "/");
      assertThat(two.process().isAlive()).isTrue();
    }
  }

  private int attempt(String... options) {
    return tool.run(run(options)).code();
  }

  private static String[] run(String... options) {
    List<String> words = new ArrayList<>(List.of("run", "--wait", "0", "x"));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "true"));
    return words.toArray(String[]::new);
  }
}
