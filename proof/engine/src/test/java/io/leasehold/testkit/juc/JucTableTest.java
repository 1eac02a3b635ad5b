package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** {@code docs/juc-behaviours.md} and the tests that it names belong together. */
class JucTableTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "juc-behaviours.md");

  private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w+\\.\\w+)`");

  private static final String REASON = "not here: ";

  /** A case of the JDK, and what stands beside it. */
  private record Row(String section, String jdkCase, String here) {}

  private static List<Row> cases() throws IOException {
    List<Row> rows = new ArrayList<>();
    String section = "";
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (line.startsWith("| `")) {
        String[] cells = line.split("\\|", -1);
        rows.add(new Row(section, cells[1].strip(), cells[2].strip()));
      }
    }
    return rows;
  }

  private static Set<String> testsNamedIn(String text) {
    return NAMED_TEST
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The tests that a store runs. */
  private static Set<String> tests() {
    return Stream.of(
            ReentrantLockBehaviours.class, ReadWriteLockBehaviours.class, SemaphoreBehaviours.class)
        .flatMap(kit -> Arrays.stream(kit.getDeclaredClasses()))
        .map(Class::getSuperclass)
        .flatMap(group -> Arrays.stream(group.getDeclaredMethods()))
        .filter(JucTableTest::isTest)
        .map(method -> method.getDeclaringClass().getSimpleName() + "." + method.getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isTest(Method method) {
    return method.isAnnotationPresent(Test.class)
        || method.isAnnotationPresent(ParameterizedTest.class);
  }

  @Test
  void everyTestIsOnThePageAndEveryTestOnThePageIsThere() throws IOException {
    assertThat(testsNamedIn(Files.readString(PAGE))).isEqualTo(tests());
  }

  @Test
  void everyCaseHasATestOrAReason() throws IOException {
    for (Row row : cases()) {
      assertThat(row.here().startsWith(REASON) || !testsNamedIn(row.here()).isEmpty())
          .as("%s: %s", row.section(), row)
          .isTrue();
    }
  }

  /** One row each: the cases of the JDK's classes, their fair forms left out, and its loops. */
  @Test
  void everyCaseIsThereOnce() throws IOException {
    assertThat(cases()).extracting(row -> row.section() + row.jdkCase()).doesNotHaveDuplicates();
    assertThat(cases().stream().collect(Collectors.groupingBy(Row::section, Collectors.counting())))
        .containsOnly(
            Map.entry("ReentrantLock", 48L + 8),
            Map.entry("ReentrantReadWriteLock", 70L),
            Map.entry("Semaphore", 37L));
  }
}
