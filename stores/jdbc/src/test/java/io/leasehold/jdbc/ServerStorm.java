package io.leasehold.jdbc;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A process of many threads that acquire and release names of all kinds until it is sent a line.
 * Writes down each use, with when it began and ended by the clock that all processes share.
 */
final class ServerStorm {
  private static final int THREADS = 16;
  private static final int NAMES = 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final LockClient client;

  /** Whether the store serves other kinds than exclusive locks. */
  private final boolean all;

  private final PrintStream out;
  private volatile boolean goesOn = true;

  private ServerStorm(LockClient client, boolean all, PrintStream out) {
    this.client = client;
    this.all = all;
    this.out = out;
  }

  /**
   * Takes the URL of the store, and the file to write to. It begins at a line, and ends at another.
   */
  public static void main(String[] args) throws Exception {
    BufferedReader told =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (PrintStream out = new PrintStream(args[1], StandardCharsets.UTF_8);
        LockClient client = Leasehold.builder(args[0]).ttl(Duration.ofMinutes(10)).build()) {
      ServerStorm storm = new ServerStorm(client, !args[0].contains("mode=session"), out);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(new Thread(storm::run));
      }
      System.out.println("ready");
      told.readLine();
      threads.forEach(Thread::start);
      told.readLine();
      storm.goesOn = false;
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.println("done");
  }

  private void run() {
    while (goesOn) {
      int n = ThreadLocalRandom.current().nextInt(NAMES);
      boolean shared = all && n < 4 && ThreadLocalRandom.current().nextInt(3) > 0;
      try (Lease lease = lock(n, shared).acquire(PATIENCE)) {
        long begin = System.nanoTime();
        boolean held = lease.isHeld();
        String use =
            lease.name() + " " + lease.fencingToken() + " " + (shared ? "shared " : "alone ");
        out.println("use " + use + begin + " " + System.nanoTime() + " " + held);
      } catch (LockException | LeaseLostException e) {
        out.println("wrong " + e.getMessage().replace('\n', ' '));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Four names are shared, four are fair. */
  private DistributedLock lock(int n, boolean shared) {
    String name = "name" + n;
    if (shared) {
      return client.readWriteLock(name).readLock();
    }
    DistributedLock lock = client.lock(name);
    return all && n >= 16 ? lock.with(LockOptions.defaults().fair()) : lock;
  }
}
