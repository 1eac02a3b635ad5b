package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One channel that is listened to, over one connection after another. Thread-safe. */
final class Subscription implements Wire.Listening {
  private final String server;
  private final String channel;
  private final byte[] name;
  private final byte[] head;
  private final Consumer<byte[]> message;
  private final Runnable again;
  private final Consumer<Subscription> wanted;

  private final ReentrantLock mutex = new ReentrantLock();
  private int count;
  private boolean closed;

  /** Completed once it is listened to, or that has failed. */
  private CompletableFuture<Integer> next = new CompletableFuture<>();

  /** Over whose connection. */
  private volatile @Nullable JedisListening at;

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
      String channel,
      Consumer<byte[]> message,
      Runnable again,
      Consumer<Subscription> wanted) {
    this.server = server;
    this.channel = channel;
    this.name = Command.bytes(channel);
    this.head = Command.bytes("*3\r\n$7\r\nmessage\r\n$" + name.length + "\r\n" + channel + "\r\n");
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

  /**
   * What a message on it begins with in RESP2, unless it is a sharded channel: all but its text.
   */
  byte[] head() {
    return head;
  }

  @Override
  public int connection() {
    return connection;
  }

  @Override
  public boolean keepsHearing() {
    JedisListening there = at;
    return there == null || there.keepsHearing();
  }

  @Override
  public void hearWithoutCallers() {
    JedisListening there = at;
    if (there != null) {
      there.hearWithoutCallers();
    }
  }

  @Override
  public boolean hear(BooleanSupplier served) {
    JedisListening there = at;
    return there != null && connection != 0 && there.hear(served);
  }

  @Override
  public CompletionStage<Integer> established() {
    hearWithoutCallers();
    CompletableFuture<Integer> standing;
    mutex.lock();
    try {
      if (connection != 0) {
        return CompletableFuture.completedFuture(connection);
      }
      if (closed) {
        return CompletableFuture.failedFuture(ended());
      }
      standing = next.copy();
    } finally {
      mutex.unlock();
    }
    wanted.accept(this);
    return standing;
  }

  private StoreException ended() {
    return new StoreException(
        Failure.UNAVAILABLE, "the connection to " + server + " was closed", null);
  }

  /** Those that wait for it are told. */
  void fail(StoreException why) {
    CompletableFuture<Integer> told;
    mutex.lock();
    try {
      told = next;
      next = new CompletableFuture<>();
    } finally {
      mutex.unlock();
    }
    told.completeExceptionally(why);
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
    CompletableFuture<Integer> told;
    int number;
    mutex.lock();
    try {
      if (!there.equals(at)) {
        return false;
      }
      count++;
      number = count;
      connection = number;
      told = next;
      next = new CompletableFuture<>();
    } finally {
      mutex.unlock();
    }
    told.complete(number);
    return number > 1;
  }

  /** It is not listened to there any more; returns whether that was where it was. */
  boolean left(JedisListening there) {
    mutex.lock();
    try {
      boolean here = there.equals(at);
      if (here) {
        connection = 0;
      }
      return here;
    } finally {
      mutex.unlock();
    }
  }

  /** It cannot be listened to there. */
  void broke(JedisListening there, StoreException why) {
    if (left(there)) {
      fail(why);
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
    } finally {
      mutex.unlock();
    }
    fail(ended());
  }
}
