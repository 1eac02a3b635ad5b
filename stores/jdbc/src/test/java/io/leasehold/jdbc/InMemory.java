package io.leasehold.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes temporary directories in memory where there is such a place, for tests that commit
 * thousands of times or start a hundred processes: the speed of the disk is not what they are
 * about.
 */
final class InMemory implements TempDirFactory {
  private static final Path SHM = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return Files.isDirectory(SHM) && Files.isWritable(SHM)
        ? Files.createTempDirectory(SHM, "leasehold-test-")
        : Files.createTempDirectory("leasehold-test-");
  }
}
