package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
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
    try (LockClient client = open(args[0], Duration.parse(args[1]))) {
      Lease lease = client.lock("a").acquire();
      say("acquired");
      while (in.readLine() != null) {
        say(lease.isHeld() ? "held" : "lost");
      }
    }
  }

  /** A new process on a busy machine may need more time to log in than the store gives it. */
  private static LockClient open(String url, Duration ttl) {
    for (int more = 10; ; more--) {
      try {
        return Leasehold.builder(url).ttl(ttl).build();
      } catch (StoreException e) {
        if (more == 0) {
          throw e;
        }
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
