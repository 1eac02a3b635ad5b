package io.leasehold.servers;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The data with which a server begins: made once, for that takes seconds, kept in the cache and
 * copied for each server.
 *
 * @param name of the server in {@code servers/fetch --list}
 */
record SqlTemplate(String name, SqlEngine engine, Path program) {
  /** Counts up when other data is made by the same program. */
  private static final int LAYOUT = 1;

  /** Fills a folder that is empty; leaves another as it is. */
  void copyTo(Path data) throws IOException {
    if (Folders.isEmpty(data)) {
      Folders.copy(made(), data);
    }
  }

  private Path made() throws IOException {
    Path cache = Programs.cache();
    Path template = cache.resolve(name + "-data-" + key());
    if (!Files.exists(template)) {
      Path folder = Files.createTempDirectory(cache, "." + name + "-data-");
      engine.initialise(program, folder, folder.resolve("data"));
      try {
        Files.move(folder.resolve("data"), template, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        if (!Files.exists(template)) {
          throw e;
        } // else another process was faster
      }
      Folders.delete(folder);
    }
    return template;
  }

  /** Of this program and this user, who must be able to read it. */
  private String key() throws IOException {
    Path real = program.toRealPath();
    String facts = real + " " + Files.getLastModifiedTime(real) + System.getProperty("user.name");
    return Integer.toHexString(facts.hashCode()) + "-" + LAYOUT;
  }
}
