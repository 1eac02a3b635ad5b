package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockException;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/operations.md has everything that can come up, and nothing else. */
class OperationsPageTest {
  private static final String PAGE = "docs/operations.md";

  private static final Pattern QUORUM = Pattern.compile("quorum\\(\"([^\"]+)\"");
  private static final Pattern FINDING = Pattern.compile("(?:new Finding|\\badd)\\(");

  private static final Pattern EXCEPTION =
      Pattern.compile("class (\\w+) extends (?:LockException|IllegalMonitorStateException)");

  private static Set<String> names(Stream<?> values) {
    return values.map(String::valueOf).collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyEventIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "## Events", "event"))
        .isEqualTo(
            names(
                Arrays.stream(LockEvent.class.getPermittedSubclasses()).map(Class::getSimpleName)));
  }

  @Test
  void everyReasonOfALossIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "### Reasons of a loss", "reason"))
        .isEqualTo(names(Arrays.stream(LockEvent.Lost.Reason.values())));
  }

  @Test
  void everyExceptionIsThere() {
    Set<String> exceptions =
        names(
            PageTables.sources("core")
                .flatMap(source -> EXCEPTION.matcher(source).results())
                .map(found -> found.group(1)));
    assertThat(exceptions)
        .contains(StoreException.class.getSimpleName())
        .doesNotContain(LockException.class.getSimpleName());
    assertThat(PageTables.firstColumn(PAGE, "## Exceptions", "exception")).isEqualTo(exceptions);
  }

  @Test
  void everyKindOfFailureIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "## Exceptions", "`StoreException.failure()`"))
        .isEqualTo(names(Arrays.stream(StoreException.Failure.values())));
  }

  @Test
  void everyExitCodeIsThere() throws IllegalAccessException {
    Set<String> codes = new TreeSet<>(List.of("128+n"));
    for (Field field : ExitCode.class.getDeclaredFields()) {
      if (field.getType() == int.class) {
        codes.add(String.valueOf(field.getInt(null)));
      }
    }
    assertThat(PageTables.firstColumn(PAGE, "## Exit codes", "code")).isEqualTo(codes);
  }

  @Test
  void everyCheckOfDoctorIsThere() {
    Set<String> checks =
        names(
            PageTables.sources(
                    "cli",
                    "core",
                    "stores/jdbc",
                    "stores/redis",
                    "stores/zookeeper",
                    "stores/etcd",
                    "stores/consul",
                    "stores/memcached")
                .filter(source -> source.contains("Finding"))
                .flatMap(OperationsPageTest::checks));
    assertThat(checks).contains("store", "latency", "integrity", "eviction", "replication");
    assertThat(PageTables.firstColumn(PAGE, "## Findings of doctor", "check")).isEqualTo(checks);
  }

  /** The second arguments that are text, of what makes a finding; the first, about a quorum. */
  private static Stream<String> checks(String source) {
    Stream<String> findings =
        FINDING
            .matcher(source)
            .results()
            .map((MatchResult call) -> arguments(source.substring(call.end())))
            .filter(arguments -> arguments.size() == 3)
            .map(arguments -> arguments.get(1))
            .filter(argument -> argument.matches("\"[^\"]+\""))
            .map(argument -> argument.replace("\"", ""));
    return Stream.concat(findings, QUORUM.matcher(source).results().map(call -> call.group(1)));
  }

  /** The arguments of a call. */
  private static List<String> arguments(String rest) {
    List<String> arguments = new ArrayList<>();
    int depth = 0;
    int from = 0;
    boolean isText = false;
    for (int i = 0; i < rest.length() && depth >= 0; i++) {
      char c = rest.charAt(i);
      isText ^= c == '"' && (i == 0 || rest.charAt(i - 1) != '\\');
      if (isText) {
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0 || (depth == 0 && c == ',')) {
        arguments.add(rest.substring(from, i).strip());
        from = i + 1;
      }
    }
    return arguments;
  }
}
