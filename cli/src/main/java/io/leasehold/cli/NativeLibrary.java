package io.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Copies SQLite's native library for this machine out of the driver's jar. The launcher does this
 * once; otherwise the driver does it at every start.
 */
final class NativeLibrary {
  private NativeLibrary() {}

  /** Copies it into the folder {@code args[0]}, and prints its name. */
  public static void main(String[] args) throws IOException {
    String name = LibraryLoaderUtil.getNativeLibName();
    String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name;
    try (InputStream library = LibraryLoaderUtil.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new IOException("the SQLite driver has no " + resource);
      }
      Files.copy(library, Path.of(args[0], name), StandardCopyOption.REPLACE_EXISTING);
    }
    System.out.println(name);
  }
}
