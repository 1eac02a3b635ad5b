package io.leasehold.redis;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A process with one client that is told line by line to {@code acquire}, {@code acquire fair},
 * {@code acquire permits}, {@code release}, and whether it has {@code held}. It says when it has
 * {@code acquired} and {@code lost}.
 */
final class Puppet {
  private static final String NAME = "a";

  private Puppet() {}

  /** Takes the URL of the store and the ttl. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockClient client = Leasehold.builder(args[0]).ttl(Duration.parse(args[1])).build()) {
      say("ready");
      CompletableFuture<Lease> lease = new CompletableFuture<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("acquire")) {
          lease = acquire(how(client, line));
        } else if (line.equals("held")) {
          say("held " + lease.join().isHeld());
        } else {
          lease.join().release();
          say("released");
        }
      }
    }
  }

  private static DistributedLock how(LockClient client, String line) {
    return switch (line) {
      case "acquire fair" -> client.lock(NAME).with(LockOptions.defaults().fair());
      case "acquire permits" -> client.semaphore(NAME, 2).permits(2);
      default -> client.lock(NAME);
    };
  }

  private static CompletableFuture<Lease> acquire(DistributedLock lock) {
    CompletableFuture<Lease> acquired = lock.acquireAsync(Duration.ofMinutes(5));
    return acquired.thenApply(
        lease -> {
          say("acquired " + lease.fencingToken());
          lease.onLost(() -> say("lost"));
          return lease;
        });
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
