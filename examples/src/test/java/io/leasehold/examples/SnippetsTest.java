package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every Java or Kotlin snippet of the pages stands, but for white space, in code that compiles. */
class SnippetsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern SNIPPET =
      Pattern.compile("```(?:java|kotlin)\n(.*?)```", Pattern.DOTALL);

  @TestFactory
  Stream<DynamicTest> everySnippetIsCompiled() throws IOException {
    String examples =
        squeezed(
            textOf(ROOT.resolve("examples/src"), ".java")
                // With Spring, on both lines of Spring Boot
                + textOf(ROOT.resolve("spring/tests/src"), ".java")
                + textOf(ROOT.resolve("kotlin/src/test"), ".kt"));
    List<DynamicTest> tests = new ArrayList<>();
    for (Path page : pages()) {
      Matcher snippet = SNIPPET.matcher(Files.readString(page));
      while (snippet.find()) {
        String code = snippet.group(1);
        tests.add(
            DynamicTest.dynamicTest(
                ROOT.relativize(page) + ": " + code.lines().findFirst().orElse(""),
                () -> assertThat(examples).contains(squeezed(code))));
      }
    }
    return tests.stream();
  }

  @Test
  void theReadmeHasSnippets() throws IOException {
    assertThat(SNIPPET.matcher(Files.readString(ROOT.resolve("README.md"))).results()).isNotEmpty();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(path -> path.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  private static String textOf(Path folder, String ending) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(ending)).sorted().toList()) {
        text.append(Files.readString(file));
      }
    }
    return text.toString();
  }

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
  }
}
