package io.leasehold.redis;

import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A process whose threads take locks until they are told to end, and under each add one to a number
 * that stands elsewhere, in two steps. It says what must not happen, and at its end what it did.
 */
final class StormProcess {
  private static final int THREADS = 8;
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private final Engine client;
  private final FencedNumber data;
  private final AtomicInteger used = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private volatile boolean ending;

  private StormProcess(Engine client, FencedNumber data) {
    this.client = client;
    this.data = data;
  }

  /** Takes the URLs of the store and of the server with the data. */
  public static void main(String[] args) throws IOException {
    try (FencedNumber data = new FencedNumber(args[1])) {
      Engine client =
          (Engine)
              Leasehold.builder(args[0])
                  .ttl(Duration.ofSeconds(1))
                  .requestTimeout(Duration.ofMillis(700))
                  .build();
      StormProcess storm = new StormProcess(client, data);
      List<CompletableFuture<Void>> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(storm.start());
      }
      say("ready");
      storm.ending = System.in.read() >= -1;
      threads.forEach(CompletableFuture::join);
      storm.sayWhatIsLeft();
      client.close();
    }
  }

  private CompletableFuture<Void> start() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!ending) {
                  once();
                }
                done.complete(null);
              } catch (InterruptedException | RuntimeException e) {
                say("wrong: " + e);
                done.completeExceptionally(e);
              }
            });
    thread.start();
    return done;
  }

  private void once() throws InterruptedException {
    switch (ThreadLocalRandom.current().nextInt(5)) {
      case 0, 1 -> use(client.lock("local first"), data::add);
      case 2, 3 -> use(client.lock("fair").with(LockOptions.defaults().fair()), data::add);
      default -> {
        DistributedReadWriteLock shared = client.readWriteLock("shared");
        use(shared.writeLock(), data::add);
        use(shared.readLock(), data::look);
      }
    }
  }

  /** What is done under a lock with its token; false if that was refused. */
  @FunctionalInterface
  private interface Use {
    boolean by(String name, long token);
  }

  private void use(DistributedLock lock, Use how) throws InterruptedException {
    try (Lease lease = lock.acquire(MAX_WAIT)) {
      if (how.by(lock.name(), lease.fencingToken())) {
        used.incrementAndGet();
      } else {
        refused.incrementAndGet();
        if (lease.isHeld()) {
          say("wrong: '" + lock.name() + "' is held by another beside " + lease.fencingToken());
        }
      }
    } catch (LockException | LeaseLostException told) {
      failed.incrementAndGet();
    }
  }

  private void sayWhatIsLeft() {
    try {
      await().atMost(Duration.ofSeconds(30)).until(() -> client.ledger().isZero());
    } catch (ConditionTimeoutException e) {
      say("wrong: left are " + client.ledger());
    }
    say("done " + used + " used, " + refused + " refused, " + failed + " failed");
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
