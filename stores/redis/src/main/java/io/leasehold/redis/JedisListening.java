package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A channel that is listened to by a thread of its own, from the first time that a waiter asks for
 * it. A ping now and then tells a silent connection from a broken one.
 */
final class JedisListening implements Wire.Listening {
  private static final byte[] MESSAGE = Command.bytes("message");
  private static final byte[] SUBSCRIBE = Command.bytes("subscribe");

  private static final Duration PING = Duration.ofSeconds(5);

  /** With the next, a connection on which nothing came since is taken to be broken. */
  private static final int MOST_UNANSWERED = 2;

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private final Connections connections;
  private final Threads threads;
  private final Clock clock;
  private final long pingNanos;
  private final String channel;
  private final Consumer<byte[]> message;
  private final Runnable again;

  private final ReentrantLock mutex = new ReentrantLock();
  private final Condition changed = mutex.newCondition();
  private boolean started;
  private boolean closed;
  private int count;
  private @Nullable Link current;

  /** That which is about to be ended. */
  private @Nullable Link ending;

  private long begun;

  /** How many pings were sent since something came. Changed without the mutex. */
  private final AtomicInteger unanswered = new AtomicInteger();

  private @Nullable StoreException failed;
  private long pause = FIRST_PAUSE_NANOS;

  /** The number of the connection that listens; 0 while none does. */
  private volatile int connection;

  JedisListening(
      Connections connections,
      Threads threads,
      Clock clock,
      String channel,
      Consumer<byte[]> message,
      Runnable again) {
    this(connections, threads, clock, PING, channel, message, again);
  }

  /**
   * As {@link #JedisListening(Connections, Threads, Clock, String, Consumer, Runnable)}.
   *
   * @param ping between pings; after two without an answer the connection is taken to be broken
   */
  JedisListening(
      Connections connections,
      Threads threads,
      Clock clock,
      Duration ping,
      String channel,
      Consumer<byte[]> message,
      Runnable again) {
    this.connections = connections;
    this.threads = threads;
    this.clock = clock;
    this.pingNanos = ping.toNanos();
    this.channel = channel;
    this.message = message;
    this.again = again;
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
    mutex.lock();
    try {
      start();
      failed = null;
      while (connection == 0 && failed == null && !closed) {
        long left = end - clock.nanos();
        if (left <= 0) {
          failed =
              new StoreException(
                  Failure.UNAVAILABLE,
                  "cannot listen to " + connections.server() + " in time",
                  null);
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
        Failure.UNAVAILABLE, "the connection to " + connections.server() + " was closed", null);
  }

  private void start() {
    if (!started && !closed) {
      started = true;
      threads.background(this::listen);
    }
  }

  /** Until the connection breaks; then once more, after a pause. */
  private void listen() {
    try {
      Link opened = connections.openToListen();
      try {
        if (begin(opened)) {
          read(opened);
        }
      } finally {
        opened.end();
      }
    } catch (StoreException e) {
      broke(e);
    } catch (JedisDataException e) {
      broke(Link.error(e).asException(connections.server(), null));
    } catch (JedisException e) {
      broke(connections.unknown(e));
    } catch (RuntimeException | Error e) {
      // Whatever it is, listening must go on.
      Log.error("listening to " + connections.server() + " failed, and begins anew", e);
      broke(new StoreException(Failure.UNAVAILABLE, "cannot listen to " + connections.server(), e));
    }
  }

  private boolean begin(Link opened) {
    opened.unlimit();
    mutex.lock();
    try {
      if (closed) {
        return false;
      }
      current = opened;
      unanswered.set(0);
      begun = clock.nanos();
    } finally {
      mutex.unlock();
    }
    opened.write(Command.of(Name.SUBSCRIBE, channel));
    opened.flush();
    return true;
  }

  private void read(Link opened) {
    Scheduler.Timer ping = threads.schedule(() -> ping(opened), pingNanos);
    try {
      while (true) {
        heard(opened.next());
        unanswered.set(0);
      }
    } finally {
      ping.cancel();
    }
  }

  private void heard(Object sent) {
    // Else it is the answer to a ping, where the application's client speaks RESP3.
    if (sent instanceof List<?> push) {
      byte[] kind = (byte[]) push.get(0);
      if (Arrays.equals(kind, MESSAGE)) {
        message.accept(Replies.bulk(push.get(2)));
      } else if (Arrays.equals(kind, SUBSCRIBE)) {
        began();
      }
    }
  }

  private void ping(Link opened) {
    mutex.lock();
    try {
      if (closed || !opened.equals(current)) {
        return;
      }
    } finally {
      mutex.unlock();
    }
    if (unanswered.getAndIncrement() >= MOST_UNANSWERED) {
      opened.end();
      return;
    }
    try {
      opened.write(Command.of(Name.PING));
      opened.flush();
      threads.schedule(() -> ping(opened), pingNanos);
    } catch (RuntimeException | Error e) {
      Log.debug("a ping was not sent; the thread that reads ends", e);
      opened.end();
    }
  }

  private void began() {
    boolean first;
    mutex.lock();
    try {
      first = count == 0;
      count++;
      connection = count;
      pause = FIRST_PAUSE_NANOS;
      changed.signalAll();
    } finally {
      mutex.unlock();
    }
    if (!first) {
      threads.schedule(() -> threads.background(again), Wire.soon());
    }
  }

  private void broke(StoreException why) {
    mutex.lock();
    try {
      current = null;
      connection = 0;
      failed = why;
      changed.signalAll();
      if (why.failure() == Failure.REFUSED) {
        // Until the next waiter asks for it.
        started = false;
      } else if (!closed) {
        threads.schedule(() -> threads.background(this::listen), pause);
        pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
      }
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Connects anew, since the server behind the address may be another; not more often than once a
   * second, so that a server which stays a replica is not asked without end.
   */
  void renew() {
    mutex.lock();
    try {
      Link open = current;
      if (open != null && !open.equals(ending)) {
        ending = open;
        threads.schedule(open::end, Math.max(0, begun + LONGEST_PAUSE_NANOS - clock.nanos()));
      }
    } finally {
      mutex.unlock();
    }
  }

  void close() {
    Link open;
    mutex.lock();
    try {
      closed = true;
      open = current;
      current = null;
      connection = 0;
      changed.signalAll();
    } finally {
      mutex.unlock();
    }
    if (open != null) {
      open.end();
    }
  }
}
