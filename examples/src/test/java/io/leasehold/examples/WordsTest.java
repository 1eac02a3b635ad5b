package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages and the javadoc of public classes name the actor: the client, the holder, another
 * process. They use none of the words that hide it.
 */
class WordsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /** One word each; a part of an identifier, as in a test's name, is not one. */
  private static final Pattern REFUSED = Pattern.compile("(?i)\\b(whoever|nobody|somebody)\\b");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*.*?\\*/");
  private static final Pattern PUBLIC = Pattern.compile("(?m)^public ");

  /** Code, and names of programs and users, as in {@code `nobody`}. */
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\n]*`");

  @Test
  void noPageUsesAWordThatHidesTheActor() throws IOException {
    List<Path> pages = files(".md");
    assertThat(pages)
        .contains(ROOT.resolve("README.md"), ROOT.resolve("docs/guarantees.md"))
        .hasSizeGreaterThan(20);
    List<String> found = new ArrayList<>();
    for (Path page : pages) {
      collect(page, CODE.matcher(Files.readString(page)).replaceAll(" "), found);
    }
    assertThat(found).as("name the actor instead").isEmpty();
  }

  @Test
  void noPublicJavadocUsesAWordThatHidesTheActor() throws IOException {
    List<String> found = new ArrayList<>();
    int read = 0;
    for (Path source : files(".java")) {
      String text = Files.readString(source);
      if (isPublicApi(source) && PUBLIC.matcher(text).find()) {
        read++;
        COMMENT.matcher(text).results().forEach(comment -> collect(source, comment.group(), found));
      }
    }
    assertThat(read).isGreaterThan(80);
    assertThat(found).as("name the actor instead").isEmpty();
  }

  /** What applications and stores import. */
  private static boolean isPublicApi(Path source) {
    String path = ROOT.relativize(source).toString();
    return path.matches("(core|stores/[^/]+|idempotency[^/]*)/src/main/java/.*")
        && !path.contains("/internal/");
  }

  private static void collect(Path file, String text, List<String> found) {
    REFUSED
        .matcher(text)
        .results()
        .forEach(word -> found.add(ROOT.relativize(file) + ": " + word.group()));
  }

  private static List<Path> files(String ending) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(ending))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target[^/]*|\\..*)/.*"))
          .sorted()
          .toList();
    }
  }
}
