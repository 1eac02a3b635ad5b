package io.leasehold.gallery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The blocks of the page that are not prose: code of the sources, and data of the plays. */
final class GalleryPage {
  private static final Path WILD = Path.of("src/main/java/io/leasehold/gallery/wild");
  private static final Pattern BLOCK =
      Pattern.compile("<!-- (code|data) (\\w+) -->\n(```.*?```\n)?", Pattern.DOTALL);
  private static final String TEXT_BLOCK = "\"\"\"";

  private final Map<String, Recording> broken;

  GalleryPage(Map<String, Recording> broken) {
    this.broken = broken;
  }

  /** The page with all such blocks as they are now. */
  String filledIn(String page) {
    return BLOCK.matcher(page).replaceAll(block -> Matcher.quoteReplacement(made(block)));
  }

  private String made(MatchResult block) {
    String name = block.group(2);
    boolean isCode = block.group(1).equals("code");
    String content = isCode ? code(name) : data(name);
    // SnippetsTest wants what is fenced as plain java to be an example to follow
    String fence = isCode ? "```java wild\n" : "```text\n";
    return "<!-- " + block.group(1) + " " + name + " -->\n" + fence + content + "```\n";
  }

  private String data(String id) {
    Recording recording = broken.get(id);
    if (recording == null) {
      throw new IllegalStateException("entry " + id + " was not played");
    }
    return String.join("\n", recording.data()) + "\n";
  }

  /** Constants and methods; neither fields nor constructors. */
  private static String code(String className) {
    List<String> lines;
    try {
      lines = Files.readAllLines(WILD.resolve(className + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> kept = new ArrayList<>();
    boolean inBody = false;
    boolean skips = false;
    boolean inText = false;
    for (String line : lines) {
      if (line.startsWith("public final class ")) {
        inBody = true;
        continue;
      }
      if (!inBody || line.equals("}")) {
        continue;
      }
      boolean isField =
          line.startsWith("  private ") && !line.contains("(") && !line.contains(" static ");
      if (line.startsWith("  public " + className + "(")) {
        skips = true;
      }
      if (!skips && (inText || (!isField && !line.equals("  @Override")))) {
        kept.add(line.startsWith("  ") ? line.substring(2) : line);
      }
      if (line.strip().startsWith(TEXT_BLOCK)) {
        inText = !inText;
      }
      if (line.equals("  }")) {
        skips = false;
      }
    }
    String text = String.join("\n", kept).strip() + "\n";
    return text.replaceAll("\n{3,}", "\n\n");
  }
}
