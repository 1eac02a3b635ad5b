package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Temporary folders. */
final class Folders {
  private static final Optional<Path> ROOT =
      Optional.ofNullable(System.getenv("LEASEHOLD_SERVERS_FOLDER")).map(Path::of);

  private Folders() {}

  /** A new one for a server. */
  static Path temporary(String name) throws IOException {
    String prefix = "leasehold-" + name + "-";
    return ROOT.isPresent()
        ? Files.createTempDirectory(ROOT.get(), prefix)
        : Files.createTempDirectory(prefix);
  }

  /** Into a folder that is there; with owners and permissions, also its own. */
  static void copy(Path from, Path to) {
    // A thousand files take Java a second, and cp a tenth of it
    Programs.run(List.of("cp", "-a", from + "/.", to.toString()), "cp -a");
  }

  static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  /** With all that is in it, if it is there. */
  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
