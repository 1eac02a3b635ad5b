package io.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the tables of a page speak of, and what the code has. */
final class PageTables {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private PageTables() {}

  /**
   * The first column of the table with this head under this heading: what is in code marks there,
   * else its text.
   */
  static Set<String> firstColumn(String page, String heading, String head) {
    String text = Tool.read(Tool.root().resolve(page));
    int section = text.indexOf("\n" + heading + "\n");
    int table = text.indexOf("\n| " + head + " |", section);
    if (section < 0 || table < 0) {
      throw new IllegalArgumentException(page + " has no " + head + " under " + heading);
    }
    return text.substring(table + 1)
        .lines()
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.split("\\|", -1)[1].strip())
        .flatMap(PageTables::names)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> names(String cell) {
    return cell.contains("`")
        ? CODE.matcher(cell).results().map(found -> found.group(1))
        : Stream.of(cell);
  }

  /** The sources of modules, without their tests. */
  static Stream<String> sources(String... modules) {
    return Arrays.stream(modules)
        .map(module -> Tool.root().resolve(module).resolve("src/main/java"))
        .flatMap(PageTables::files)
        .map(Tool::read);
  }

  private static Stream<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
