package io.leasehold.jdbc;

import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.testkit.juc.ReentrantLockBehaviours;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Locks in a file behave as those of {@code java.util.concurrent}. */
class FileStoreJucTest extends ReentrantLockBehaviours {
  @TempDir(factory = InMemory.class)
  Path directory;

  @Override
  public LockClientBuilder builder() {
    return Leasehold.builder("file:" + directory.resolve("locks.db"));
  }
}
