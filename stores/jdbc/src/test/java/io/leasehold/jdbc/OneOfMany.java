package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that says that it has started, waits for a line, and then does what a short job does:
 * connects, takes one lock, and releases it. Prints its token, and what failed on its standard
 * error.
 */
final class OneOfMany {
  private OneOfMany() {}

  /** Takes the lock file, and a file that is there only while one of them holds the lock. */
  public static void main(String[] args) throws IOException, InterruptedException {
    System.out.println("ready");
    if (System.in.read() < 0) {
      return;
    }
    Path held = Path.of(args[1]);
    StoreUrl url = StoreUrl.parse("file:" + args[0]);
    // Long, for the release: a machine may be so busy that the one that writes gets no processor.
    try (LockClient client =
        Leasehold.builder(new JdbcStoreProvider().factory(url))
            .requestTimeout(Duration.ofMinutes(1))
            .build()) {
      Lease lease = client.lock("a").acquire(Duration.ofMinutes(5));
      Files.createFile(held);
      Files.delete(held);
      lease.release();
      System.out.println(lease.fencingToken());
    }
  }
}
