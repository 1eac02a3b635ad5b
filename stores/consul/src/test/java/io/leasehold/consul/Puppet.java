package io.leasehold.consul;

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
 * A process with one client that is told line by line to {@code acquire} in turn, to {@code acquire
 * unfair}, to {@code release}, and whether it has {@code held}. It says when it has {@code
 * acquired} and {@code lost}.
 */
final class Puppet {
  private Puppet() {}

  /** Takes the URL of the store and the ttl. */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockClient client = Leasehold.builder(args[0]).ttl(Duration.parse(args[1])).build()) {
      say("ready");
      DistributedLock lock = client.lock("a");
      CompletableFuture<Lease> lease = new CompletableFuture<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case "acquire" -> lease = acquired(lock.with(LockOptions.defaults().fair()));
          case "acquire unfair" -> lease = acquired(lock);
          case "held" -> say("held " + lease.join().isHeld());
          default -> {
            lease.join().release();
            say("released");
          }
        }
      }
    }
  }

  private static CompletableFuture<Lease> acquired(DistributedLock lock) {
    return lock.acquireAsync(Duration.ofMinutes(5)).thenApply(Puppet::has);
  }

  private static Lease has(Lease lease) {
    say("acquired " + lease.fencingToken());
    lease.onLost(() -> say("lost"));
    return lease;
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
