package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every link of a page to a file of this project, or to a heading in it, leads somewhere. */
class LinksTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");

  @TestFactory
  Stream<DynamicTest> everyLinkLeadsSomewhere() throws IOException {
    return pages().stream()
        .map(
            page ->
                DynamicTest.dynamicTest(
                    ROOT.relativize(page).toString(), () -> assertThat(broken(page)).isEmpty()));
  }

  @Test
  void everyPageIsInTheIndex() throws IOException {
    Path docs = ROOT.resolve("docs");
    List<Path> linked = new ArrayList<>();
    Matcher link = LINK.matcher(Files.readString(docs.resolve("README.md")));
    while (link.find()) {
      linked.add(docs.resolve(link.group(1)).normalize());
    }
    assertThat(linked).containsAll(pages().stream().filter(this::isEnglishPage).toList());
  }

  private boolean isEnglishPage(Path page) {
    return page.startsWith(ROOT.resolve("docs"))
        && !page.startsWith(ROOT.resolve("docs/zh-CN"))
        && !page.equals(ROOT.resolve("docs/README.md"));
  }

  private static List<String> broken(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    Matcher link = LINK.matcher(withoutCode(Files.readString(page)));
    while (link.find()) {
      String target = link.group(1);
      if (target.matches("[a-z]+:.*")) {
        continue;
      }
      String[] parts = target.split("#", 2);
      Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
      if (!Files.exists(file) || (parts.length > 1 && !anchors(file).contains(parts[1]))) {
        broken.add(target);
      }
    }
    return broken;
  }

  private static String withoutCode(String text) {
    return FENCED.matcher(text).replaceAll("").replaceAll("`[^`\n]*`", "");
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(FENCED.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path folder :
        List.of(
            ROOT,
            ROOT.resolve("cli"),
            ROOT.resolve("servers"),
            ROOT.resolve("spec"),
            ROOT.resolve("docs"))) {
      int depth = folder.endsWith("docs") ? Integer.MAX_VALUE : 1;
      try (Stream<Path> files = Files.walk(folder, depth)) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }
}
