package io.leasehold.zookeeper;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process with one client that is told line by line to {@code acquire}, {@code release}, and
 * whether it has {@code held}. It says when it has {@code acquired} and {@code lost}.
 */
final class Puppet {
  private Puppet() {}

  /** Takes the URL of the store and the ttl. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockClient client = Leasehold.builder(args[0]).ttl(Duration.parse(args[1])).build()) {
      say("ready");
      CompletableFuture<Lease> lease = new CompletableFuture<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("acquire")) {
          lease = acquire(client);
        } else if (line.equals("held")) {
          say("held " + lease.join().isHeld());
        } else {
          lease.join().release();
          say("released");
        }
      }
    }
  }

  private static CompletableFuture<Lease> acquire(LockClient client) {
    CompletableFuture<Lease> acquired = client.lock("a").acquireAsync(Duration.ofMinutes(5));
    return acquired
        .thenApply(
            lease -> {
              say("acquired " + lease.fencingToken());
              lease.onLost(() -> say("lost"));
              return lease;
            })
        .exceptionallyCompose(failed -> again(client, failed));
  }

  /** As an application does that was stopped: its connection has ended, so it asks once more. */
  private static CompletableFuture<Lease> again(LockClient client, Throwable failed) {
    say("failed " + failed);
    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
    return cause instanceof StoreException
        ? CompletableFuture.supplyAsync(
                () -> acquire(client),
                CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS))
            .thenCompose(asked -> asked)
        : CompletableFuture.failedFuture(failed);
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
