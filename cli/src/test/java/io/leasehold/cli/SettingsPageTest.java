package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/settings.md has every option that the code has, and no other. */
class SettingsPageTest {
  private static final String PAGE = "docs/settings.md";
  private static final Pattern VARIABLE =
      Pattern.compile("\"(LEASEHOLD_[A-Z_]*[A-Z]|XDG_STATE_HOME|HOME)\"");

  /** The methods of a type that return it: by them it is set. */
  private static Set<String> setters(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType() == type)
        .map(Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyOptionOfTheClientIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "## The client", "option"))
        .isEqualTo(setters(LockClientBuilder.class));
  }

  @Test
  void everyOptionOfALockIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "## A lock", "option"))
        .isEqualTo(setters(LockOptions.class));
  }

  @Test
  void everyOptionOfTheCommandIsThere() {
    assertThat(PageTables.firstColumn(PAGE, "## The command", "option"))
        .isEqualTo(
            Arrays.stream(Option.values())
                .map(Option::spelling)
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  @Test
  void everyParameterOfAStoreUrlIsThere() {
    Set<String> onThePage = PageTables.firstColumn(PAGE, "## The store URL", "parameter");
    assertThat(onThePage).isEqualTo(constants("CLIENT_PARAMETERS", "core"));
    String text = Tool.read(Tool.root().resolve(PAGE));
    for (String each :
        Stream.of(
                constants("OURS", "stores/jdbc"),
                constants("PARAMETERS", "stores/redis"),
                constants("PARAMETERS", "stores/zookeeper"),
                constants("PARAMETERS", "stores/etcd"),
                constants("PARAMETERS", "stores/consul"),
                constants("PARAMETERS", "stores/memcached"))
            .flatMap(Set::stream)
            .toList()) {
      assertThat(text).contains("`" + each + "`");
    }
  }

  /** The words of a set of strings in the sources. */
  private static Set<String> constants(String name, String module) {
    Pattern set = Pattern.compile("Set<String> " + name + " =\\s*Set\\.of\\(([^)]*)\\)");
    Set<String> words =
        PageTables.sources(module)
            .flatMap(source -> set.matcher(source).results())
            .flatMap(found -> Arrays.stream(found.group(1).split(",\\s*", -1)))
            .map(word -> word.replace("\"", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(words).as("%s of %s", name, module).isNotEmpty();
    return words;
  }

  @Test
  void everyVariableOfTheEnvironmentIsThere() {
    Set<String> read =
        PageTables.sources(
                "cli",
                "core",
                "stores/jdbc",
                "stores/redis",
                "stores/zookeeper",
                "stores/etcd",
                "stores/consul",
                "stores/memcached")
            .flatMap(source -> VARIABLE.matcher(source).results())
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    read.add("JAVA_HOME"); // by the script
    assertThat(PageTables.firstColumn(PAGE, "## The command", "variable")).isEqualTo(read);
  }

  /** The defaults of the client, as its fields have them. */
  @ParameterizedTest
  @CsvSource({
    "ttl, DEFAULT_TTL_SECONDS = 30, 30 s",
    "requestTimeout, requestTimeout = Duration.ofSeconds(5), 5 s",
    "closeTimeout, closeTimeout = Duration.ofSeconds(10), 10 s",
    "handOver, handOver = Duration.ofMillis(2), 2 ms",
    "require, EnumSet.of(Trait.FENCING), `FENCING`"
  })
  void theDefaultIsThatOfTheCode(String option, String code, String shown) {
    assertThat(
            PageTables.sources("core")
                .filter(s -> s.contains("public final class LockClientBuilder")))
        .singleElement()
        .asString()
        .contains(code);
    assertThat(Tool.read(Tool.root().resolve(PAGE)))
        .contains("| `" + option + "` | " + shown + " |");
  }
}
