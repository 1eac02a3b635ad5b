package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Threads;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel that is listened to from the first time that a waiter asks for it. Lettuce connects and
 * subscribes again by itself; every subscription but the first is told.
 */
final class LettuceListening extends RedisPubSubAdapter<String, String>
    implements Wire.Listening, RedisConnectionStateListener {
  private static final long RENEWED_AFTER_NANOS = 1_000_000_000;

  private final RedisClient client;
  private final Threads threads;
  private final String channel;
  private final Consumer<byte[]> message;
  private final Runnable again;

  private final ReentrantLock mutex = new ReentrantLock();
  private CompletableFuture<Integer> subscribed = new CompletableFuture<>();
  private @Nullable StatefulRedisPubSubConnection<String, String> open;
  private boolean started;
  private boolean closed;
  private boolean renewing;
  private int count;
  private volatile int connection;

  LettuceListening(
      RedisClient client,
      Threads threads,
      String channel,
      Consumer<byte[]> message,
      Runnable again) {
    this.client = client;
    this.threads = threads;
    this.channel = channel;
    this.message = message;
    this.again = again;
  }

  @Override
  public String channel() {
    return channel;
  }

  @Override
  public int connection() {
    return connection;
  }

  @Override
  public CompletionStage<Integer> established() {
    mutex.lock();
    try {
      if (!started && !closed) {
        started = true;
        threads.background(this::connect);
      }
      return subscribed.copy();
    } finally {
      mutex.unlock();
    }
  }

  /** On a thread of its own, since it blocks. */
  private void connect() {
    try {
      StatefulRedisPubSubConnection<String, String> made = client.connectPubSub();
      made.addListener((RedisConnectionStateListener) this);
      made.addListener((RedisPubSubListener<String, String>) this);
      keep(made);
      made.async().subscribe(channel).whenComplete((done, failed) -> subscribedOr(failed));
    } catch (RuntimeException | Error e) {
      fail(LettuceWire.cannotConnect(e));
    }
  }

  private void keep(StatefulRedisPubSubConnection<String, String> made) {
    mutex.lock();
    try {
      if (!closed) {
        open = made;
        return;
      }
    } finally {
      mutex.unlock();
    }
    LettuceWire.end(made);
  }

  private void subscribedOr(@Nullable Throwable failed) {
    if (failed != null) {
      fail(
          new StoreException(
              Failure.UNAVAILABLE,
              "cannot listen to " + channel + ": " + Reason.of(failed),
              failed));
    }
  }

  /** The next waiter that asks makes it try again; it does by itself if it has listened before. */
  private void fail(StoreException failed) {
    CompletableFuture<Integer> told;
    StatefulRedisPubSubConnection<String, String> useless;
    mutex.lock();
    try {
      told = subscribed;
      useless = open;
      open = null;
      subscribed = new CompletableFuture<>();
      started = count > 0 && failed.failure() != Failure.REFUSED;
      if (started && !closed) {
        threads.schedule(() -> threads.background(this::connect), RENEWED_AFTER_NANOS);
      }
    } finally {
      mutex.unlock();
    }
    if (useless != null) {
      LettuceWire.end(useless);
    }
    told.completeExceptionally(failed);
  }

  @Override
  public void message(String from, String text) {
    message.accept(Command.bytes(text));
  }

  @Override
  public void subscribed(String to, long number) {
    CompletableFuture<Integer> told;
    mutex.lock();
    try {
      count++;
      connection = count;
      told = subscribed;
    } finally {
      mutex.unlock();
    }
    told.complete(connection);
    if (connection > 1) {
      threads.schedule(() -> threads.background(again), Wire.soon());
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
    mutex.lock();
    try {
      if (ended.equals(open)) {
        ended();
      }
    } finally {
      mutex.unlock();
    }
  }

  private void ended() {
    connection = 0;
    if (subscribed.isDone()) {
      subscribed = new CompletableFuture<>();
    }
  }

  /**
   * Connects anew, since the server behind the address may be another; not more often than once a
   * second, so that a server which stays a replica is not asked without end.
   */
  void renew() {
    mutex.lock();
    try {
      StatefulRedisPubSubConnection<String, String> listens = open;
      if (listens != null && !renewing) {
        renewing = true;
        threads.schedule(() -> renew(listens), RENEWED_AFTER_NANOS);
      }
    } finally {
      mutex.unlock();
    }
  }

  private void renew(StatefulRedisPubSubConnection<String, String> listens) {
    mutex.lock();
    try {
      renewing = false;
      if (closed || !listens.equals(open)) {
        return;
      }
      open = null;
      ended();
    } finally {
      mutex.unlock();
    }
    LettuceWire.end(listens);
    threads.background(this::connect);
  }

  void close() {
    StatefulRedisPubSubConnection<String, String> last;
    CompletableFuture<Integer> told;
    mutex.lock();
    try {
      closed = true;
      last = open;
      told = subscribed;
    } finally {
      mutex.unlock();
    }
    if (last != null) {
      LettuceWire.end(last);
    }
    told.completeExceptionally(
        new StoreException(Failure.UNAVAILABLE, "the connection was closed", null));
  }
}
