package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a client does, to which something happens on the way. */
enum Act {
  /** A name is made, and freed. */
  FREE_PAIR(2 + 5) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      client.lock(name).acquire(ServerTest.PATIENCE).release();
    }
  },

  /** A try finds it busy. */
  BUSY_TRY(2) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      try (Lease held = other.lock(name).acquire()) {
        assertThat(client.lock(name).tryAcquire()).isEmpty();
        assertThat(held.isHeld()).isTrue();
      }
    }
  },

  /** A waiter is served. */
  WAITER(6) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      waitAndRelease(client, client.lock(name), other);
    }
  },

  /** A fair waiter is served. */
  FAIR_WAITER(10) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      waitAndRelease(client, client.lock(name).with(LockOptions.defaults().fair()), other);
    }
  },

  /** A fair waiter gives up. */
  FAIR_WAITER_GIVES_UP(8) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      DistributedLock fair = client.lock(name).with(LockOptions.defaults().fair());
      try (Lease held = other.lock(name).acquire()) {
        CompletableFuture<Lease> waiter = ServerTest.beginToWait(client, fair, other);
        waiter.cancel(true);
        ServerTest.requireNothingLeft(client);
        assertThat(held.isHeld()).isTrue();
      }
    }
  },

  /** A reader beside another, then a writer. */
  READER_AND_WRITER(8) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      try (Lease reader = other.readWriteLock(name).readLock().acquire()) {
        client.readWriteLock(name).readLock().acquire(ServerTest.PATIENCE).release();
        assertThat(reader.isHeld()).isTrue();
      }
      client.readWriteLock(name).writeLock().acquire(ServerTest.PATIENCE).release();
    }
  },

  /** Two permits of three, beside another's one. */
  PERMITS(6) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      try (Lease one = other.semaphore(name, 3).acquire()) {
        client.semaphore(name, 3).permits(2).acquire(ServerTest.PATIENCE).release();
        assertThat(one.isHeld()).isTrue();
      }
    }

    @Override
    DistributedLock next(Engine client, String name) {
      return client.semaphore(name, 3).permits(3);
    }
  },

  /** An exclusive and a shared lease are renewed. */
  RENEWALS(12) {
    @Override
    void by(Engine client, Engine other, String name) throws Exception {
      try (Lease alone = client.lock(name).acquire();
          Lease shared = client.readWriteLock(name + " too").readLock().acquire()) {
        renew(alone);
        renew(shared);
      }
    }
  };

  /** How many requests it takes at least. */
  final int requests;

  Act(int requests) {
    this.requests = requests;
  }

  /**
   * Does it.
   *
   * @param other a client to which nothing happens
   */
  abstract void by(Engine client, Engine other, String name) throws Exception;

  /** What is free afterwards. */
  DistributedLock next(Engine client, String name) {
    return client.lock(name);
  }

  private static void waitAndRelease(Engine client, DistributedLock lock, Engine other)
      throws Exception {
    CompletableFuture<Lease> waiter;
    try (Lease held = other.lock(lock.name()).acquire()) {
      waiter = ServerTest.beginToWait(client, lock, other);
      assertThat(held.isHeld()).isTrue();
    }
    ServerTest.served(waiter).release();
  }

  /** The first renewal may be lost, and the next one have to connect first. */
  private static void renew(Lease lease) {
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(ServerTest.PATIENCE)
        .ignoreExceptionsMatching(
            e -> e instanceof LockException || e instanceof LeaseLostException)
        .untilAsserted(() -> lease.ensureHeld(lease.remaining().plusNanos(1)));
    assertThat(lease.isHeld()).isTrue();
  }
}
