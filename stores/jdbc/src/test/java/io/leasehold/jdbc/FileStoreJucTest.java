package io.leasehold.jdbc;

import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import io.leasehold.testkit.juc.JucBehaviours;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Locks in a file behave as those of {@code java.util.concurrent}. */
class FileStoreJucTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private LockClientBuilder client() {
    return Leasehold.builder("file:" + directory.resolve("locks.db"));
  }

  @Nested
  class LocalFirst extends JucBehaviours {
    @Override
    public LockClientBuilder builder() {
      return client();
    }
  }

  @Nested
  class Fair extends JucBehaviours {
    @Override
    public LockClientBuilder builder() {
      return client();
    }

    @Override
    public LockOptions options() {
      return LockOptions.defaults().fair();
    }
  }
}
