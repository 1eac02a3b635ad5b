package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the page says of the engine is there: each action of the specification has its methods. */
class MappingTest {
  private static final Path CORE = Model.ROOT.resolve("core/src/main/java/io/leasehold");

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("methods")
  void exists(String action, String method) {
    String[] parts = method.split("\\.", 2);
    Path source =
        CORE.resolve(
                parts[0].equals("LockStore") || parts[0].equals("StoreOperator")
                    ? "spi"
                    : "internal")
            .resolve(parts[0] + ".java");

    assertThat(Model.read(Model.SPEC)).containsPattern("(?m)^" + action + "(\\(.*?\\))? ==");
    assertThat(source).exists();
    // Members are indented by two
    assertThat(Model.read(source))
        .containsPattern("(?m)^  \\S.*\\b" + Pattern.quote(parts[1]) + "\\(");
  }

  @Test
  void everyActionIsMapped() {
    String next = Model.read(Model.SPEC).split("\nNext ==\n", 2)[1].split("\n\n", 2)[0];
    List<String> actions =
        Pattern.compile("\\b([A-Z]\\w+)\\(|\\\\/ (Break)")
            .matcher(next)
            .results()
            .map(m -> m.group(1) == null ? m.group(2) : m.group(1))
            .filter(action -> !List.of("Tick", "Write", "Crash").contains(action))
            .toList();

    assertThat(Table.under("The specification and the engine"))
        .extracting(row -> row.get(0))
        .containsAll(actions);
  }

  static Stream<Arguments> methods() {
    return Table.under("The specification and the engine").stream()
        .flatMap(
            row ->
                Arrays.stream(row.get(1).split(","))
                    .map(String::strip)
                    .map(method -> Arguments.of(row.get(0), method)));
  }
}
