package io.leasehold.servers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A small library between one server and the C library. It needs gcc; where that is missing the
 * test is aborted, or fails where servers are required.
 */
final class Shim {
  private final Path library;

  /**
   * Makes it.
   *
   * @param name of its source, {@code name-shim/name-shim.c}
   * @param folder where its files may be
   */
  Shim(String name, Path folder) {
    Path source = Programs.checkout().resolve(name + "-shim/" + name + "-shim.c");
    library = folder.resolve(name + "-shim.so");
    Programs.run(
        List.of("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "gcc, which makes the shim of a server's " + name + " (apt install gcc libc6-dev),");
  }

  /** Puts a program behind it, and behind those that were added before. */
  void addTo(Map<String, String> environment) {
    environment.merge("LD_PRELOAD", library.toString(), (others, mine) -> others + ":" + mine);
  }
}
