package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each translated page names the English text that it translates, by its SHA-256. After a change of
 * the English page change the translation too, then write the new sum into its first line.
 */
class TranslationsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern FIRST_LINE =
      Pattern.compile("<!-- translates (\\S+)( without its tables)?, SHA-256 ([0-9a-f]{64}) -->\n");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(.*?)^```$");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.zh-CN.md",
        "docs/zh-CN/choosing-a-store.md",
        "docs/zh-CN/guarantees.md",
        "docs/zh-CN/recipes.md"
      })
  void thePageTranslatesThePresentText(String page) throws Exception {
    String text = Files.readString(ROOT.resolve(page));
    Matcher first = FIRST_LINE.matcher(text);
    assertThat(first.lookingAt()).as("%s says in its first line what it translates", page).isTrue();
    String english = Files.readString(ROOT.resolve(first.group(1)));
    String translated = first.group(2) == null ? english : withoutTables(english);
    assertThat(first.group(3))
        .as(
            "%s translates another text than %s has now: change it, then its first line",
            page, first.group(1))
        .isEqualTo(sha256(translated));
    assertThat(blocks(text)).isEqualTo(blocks(english));
  }

  @Test
  void everyTranslationIsCompared() throws IOException {
    try (var pages = Files.list(ROOT.resolve("docs/zh-CN"))) {
      assertThat(pages).hasSize(3);
    }
  }

  /** Code, commands and what they print are not translated. */
  private static List<String> blocks(String text) {
    return BLOCK.matcher(text).results().map(block -> block.group(1)).toList();
  }

  private static String withoutTables(String text) {
    return text.lines()
        .filter(line -> !line.startsWith("|"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String sha256(String text) throws NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
