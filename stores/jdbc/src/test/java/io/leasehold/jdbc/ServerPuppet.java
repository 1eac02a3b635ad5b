package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.spi.StoreUrl;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A process with one client on a database server, which is told line by line to {@code acquire},
 * {@code release}, whether it has {@code held}, and to {@code stand} within the transaction of a
 * shared lease until it is sent a line. It says when it has {@code acquired} and {@code lost}.
 */
final class ServerPuppet {
  private static final String NAME = "a";

  private final BufferedReader in =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private volatile boolean stands;

  private ServerPuppet() {}

  /** Takes the URL of the store and the ttl. */
  public static void main(String[] args) throws IOException {
    new ServerPuppet().run(args[0], Duration.parse(args[1]));
  }

  private void run(String url, Duration ttl) throws IOException {
    ServerUrl server = ServerUrl.of(StoreUrl.parse(url), Map.of());
    try (LockClient client =
        Leasehold.builder(listener -> ServerStores.open(server, listener, new Stand()))
            .ttl(ttl)
            .build()) {
      say("ready");
      CompletableFuture<Lease> lease = new CompletableFuture<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case "acquire" -> lease = acquire(client);
          case "held" -> say("held " + lease.join().isHeld());
          case "stand" -> {
            stands = true;
            client.readWriteLock(NAME).readLock().acquireAsync(ttl);
          }
          default -> {
            lease.join().release();
            say("released");
          }
        }
      }
    }
  }

  private static CompletableFuture<Lease> acquire(LockClient client) {
    return client
        .lock(NAME)
        .acquireAsync(Duration.ofMinutes(5))
        .thenApply(
            lease -> {
              say("acquired " + lease.fencingToken());
              lease.onLost(() -> say("lost"));
              return lease;
            });
  }

  private static void say(String line) {
    System.out.println(line);
  }

  /** Stops where the row of a name is locked. */
  private final class Stand implements StatementHook {
    @Override
    public void before(String sql) {}

    @Override
    public void after(String sql) {
      if (stands && sql.endsWith("FOR UPDATE")) {
        stands = false;
        say("inside");
        try {
          in.readLine();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
