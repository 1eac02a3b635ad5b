package io.leasehold.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A model of the specification: the text of its configuration, to be changed and run. */
record Model(String name, String text) {
  static final Path ROOT = Path.of(System.getProperty("leasehold.root"));
  static final Path SPEC = ROOT.resolve("spec/tla/Lease.tla");
  static final Path CLAIM = ROOT.resolve("spec/tla/Claim.tla");
  static final Path QUORUM = ROOT.resolve("spec/tla/Quorum.tla");
  static final Path RUN = ROOT.resolve("spec/tla/Run.tla");
  static final Path README = ROOT.resolve("spec/README.md");

  private static final Pattern DEEP = Pattern.compile("= \\S+ \\\\\\* deep: (\\S+)");

  /** The specification that it is a model of. */
  Path spec() {
    return Stream.of(CLAIM, QUORUM, RUN)
        .filter(spec -> name.startsWith(spec.getFileName().toString().replace(".tla", "")))
        .findFirst()
        .orElse(SPEC);
  }

  /** As it is in the checkout, with the larger bounds if they are asked for. */
  static Model named(String name) {
    String text = read(SPEC.resolveSibling(name + ".cfg"));
    boolean deep = Boolean.getBoolean("leasehold.spec.deep");
    return new Model(name, deep ? DEEP.matcher(text).replaceAll("= $1") : text);
  }

  /** The same with this rule broken. */
  Model broken(String variant) {
    return with("Broken = \"nothing\"", "Broken = \"" + variant + "\"");
  }

  /** The same that claims nothing but this invariant. */
  Model claiming(String invariant) {
    String nothing = text.replaceAll("(?m)^(INVARIANTS|PROPERTIES) .*\n", "");
    return new Model(name, nothing + "INVARIANT " + invariant + "\n");
  }

  boolean can(String what) {
    return text.contains('"' + what + '"');
  }

  private Model with(String before, String after) {
    if (!text.contains(before)) {
      throw new IllegalArgumentException(name + " does not say: " + before);
    }
    return new Model(name, text.replace(before, after));
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
