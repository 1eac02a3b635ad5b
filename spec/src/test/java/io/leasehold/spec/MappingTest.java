package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the page says of the engine is there: each action of the specification has its methods. */
class MappingTest {
  private static final Path CORE = Model.ROOT.resolve("core/src/main/java/io/leasehold");

  private static final String OF_LEASES = "The specification and the engine";
  private static final String OF_QUORUMS = "Quorums in the engine";
  private static final String OF_RUNS = "Runs in the engine";

  @ParameterizedTest(name = "{1}: {2}")
  @MethodSource("methods")
  void exists(Path spec, String action, String method) {
    String[] parts = method.split("\\.", 2);

    assertThat(Model.read(spec)).containsPattern("(?m)^" + action + "(\\(.*?\\))? ==");
    // Members are indented by two, those of a class inside by four
    assertThat(Model.read(source(parts[0])))
        .containsPattern("(?m)^ {2}( {2})?\\w.*\\b" + Pattern.quote(parts[1]) + "\\(");
  }

  private static Path source(String type) {
    return Stream.of("spi", "internal", "internal/quorum")
        .map(where -> CORE.resolve(where).resolve(type + ".java"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no " + type));
  }

  @ParameterizedTest
  @MethodSource("specifications")
  void everyActionIsMapped(Path spec, String table) {
    String next = Model.read(spec).split("\nNext ==\n", 2)[1].split("\n\n", 2)[0];
    List<String> actions =
        Pattern.compile("\\b([A-Z]\\w+)\\(|\\\\/ (Break)")
            .matcher(next)
            .results()
            .map(m -> m.group(1) == null ? m.group(2) : m.group(1))
            .filter(action -> !List.of("Tick", "Write", "Crash", "Forget").contains(action))
            .toList();

    assertThat(Table.under(table)).extracting(row -> row.get(0)).containsAll(actions);
  }

  static Stream<Arguments> specifications() {
    return Stream.of(
        Arguments.of(Model.SPEC, OF_LEASES),
        Arguments.of(Model.QUORUM, OF_QUORUMS),
        Arguments.of(Model.RUN, OF_RUNS));
  }

  static Stream<Arguments> methods() {
    return specifications().flatMap(each -> methods((Path) each.get()[0], (String) each.get()[1]));
  }

  private static Stream<Arguments> methods(Path spec, String table) {
    return Table.under(table).stream()
        .flatMap(
            row ->
                Arrays.stream(row.get(1).split(","))
                    .map(String::strip)
                    .map(method -> Arguments.of(spec, row.get(0), method)));
  }
}
