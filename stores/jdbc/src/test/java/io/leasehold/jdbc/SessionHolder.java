package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that holds a lock, and says whether it still does whenever it is asked. */
final class SessionHolder {
  private SessionHolder() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockClient client = Leasehold.builder(args[0]).ttl(Duration.parse(args[1])).build()) {
      Lease lease = client.lock("a").acquire();
      say("acquired");
      while (in.readLine() != null) {
        say(lease.isHeld() ? "held" : "lost");
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
