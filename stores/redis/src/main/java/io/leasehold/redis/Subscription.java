package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One channel that is listened to, over one connection after another. Thread-safe. */
final class Subscription implements Wire.Listening {
  private final String server;
  private final Clock clock;
  private final String channel;
  private final byte[] name;
  private final Consumer<byte[]> message;
  private final Runnable again;
  private final Consumer<Subscription> wanted;

  private final ReentrantLock mutex = new ReentrantLock();
  private final Condition changed = mutex.newCondition();
  private int count;
  private boolean closed;
  private @Nullable StoreException failed;

  /** Over whose connection. */
  private @Nullable JedisListening at;

  /** The number of the connection that listens; 0 while none does. */
  private volatile int connection;

  /**
   * Not listened to yet.
   *
   * @param server for messages
   * @param message told of each message
   * @param again see {@link Wire#listen}
   * @param wanted has it listened to, unless that has begun; on the thread of a waiter
   */
  Subscription(
      String server,
      Clock clock,
      String channel,
      Consumer<byte[]> message,
      Runnable again,
      Consumer<Subscription> wanted) {
    this.server = server;
    this.clock = clock;
    this.channel = channel;
    this.name = Command.bytes(channel);
    this.message = message;
    this.again = again;
    this.wanted = wanted;
  }

  @Override
  public String channel() {
    return channel;
  }

  boolean isOf(byte[] otherName) {
    return Arrays.equals(name, otherName);
  }

  @Override
  public int connection() {
    return connection;
  }

  @Override
  public CompletionStage<Integer> established(Duration within) {
    int now = connection;
    return now != 0 ? CompletableFuture.completedFuture(now) : await(within);
  }

  private CompletionStage<Integer> await(Duration within) {
    long end = clock.nanos() + within.toNanos();
    boolean interrupted = false;
    fail(null);
    wanted.accept(this);
    mutex.lock();
    try {
      while (connection == 0 && failed == null && !closed) {
        long left = end - clock.nanos();
        if (left <= 0) {
          failed =
              new StoreException(
                  Failure.UNAVAILABLE, "cannot listen to " + server + " in time", null);
          break;
        }
        try {
          long ignored = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return connection != 0
          ? CompletableFuture.completedFuture(connection)
          : CompletableFuture.failedFuture(failed == null ? ended() : failed);
    } finally {
      mutex.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private StoreException ended() {
    return new StoreException(
        Failure.UNAVAILABLE, "the connection to " + server + " was closed", null);
  }

  /** Those that wait for it are told; null for those that come. */
  void fail(@Nullable StoreException why) {
    mutex.lock();
    try {
      failed = why;
      changed.signalAll();
    } finally {
      mutex.unlock();
    }
  }

  /** Whether a waiter has ever asked for it. */
  boolean isWanted() {
    mutex.lock();
    try {
      return at != null;
    } finally {
      mutex.unlock();
    }
  }

  /** From now on it is listened to over the connection of another one; that it was over. */
  @Nullable JedisListening moveTo(JedisListening other) {
    mutex.lock();
    try {
      JedisListening before = at;
      if (!other.equals(before)) {
        at = other;
        connection = 0;
      }
      return before;
    } finally {
      mutex.unlock();
    }
  }

  /** It is listened to; returns whether it was once before, so that messages may have been lost. */
  boolean began(JedisListening there) {
    mutex.lock();
    try {
      if (!there.equals(at)) {
        return false;
      }
      count++;
      connection = count;
      changed.signalAll();
      return count > 1;
    } finally {
      mutex.unlock();
    }
  }

  /** It is not listened to there any more. */
  void left(JedisListening there) {
    mutex.lock();
    try {
      if (there.equals(at)) {
        connection = 0;
      }
    } finally {
      mutex.unlock();
    }
  }

  /** It cannot be listened to there. */
  void broke(JedisListening there, StoreException why) {
    mutex.lock();
    try {
      if (there.equals(at)) {
        connection = 0;
        fail(why);
      }
    } finally {
      mutex.unlock();
    }
  }

  void heard(byte[] text) {
    message.accept(text);
  }

  /** Asks what may have been missed. */
  void askAgain() {
    again.run();
  }

  void close() {
    mutex.lock();
    try {
      closed = true;
      connection = 0;
      changed.signalAll();
    } finally {
      mutex.unlock();
    }
  }
}
