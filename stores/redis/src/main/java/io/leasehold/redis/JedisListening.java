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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Channels that are listened to over one connection, by a thread of its own and by callers in their
 * {@linkplain ReadingTurn turn}, from the first time that a waiter asks for one. A ping now and
 * then tells a silent connection from a broken one. Thread-safe.
 */
final class JedisListening {
  private static final byte[] MESSAGE = Command.bytes("message");
  private static final byte[] SUBSCRIBED = Command.bytes("subscribe");
  private static final byte[] SHARD_MESSAGE = Command.bytes("smessage");
  private static final byte[] SHARD_SUBSCRIBED = Command.bytes("ssubscribe");
  private static final byte[] SHARD_UNSUBSCRIBED = Command.bytes("sunsubscribe");

  /**
   * How long something takes.
   *
   * @param ping between pings; after two without an answer the connection is taken to be broken
   * @param pause as {@link ReadingTurn} takes it
   */
  record Times(Duration ping, Duration pause) {
    static final Times USUAL = new Times(Duration.ofSeconds(5), Duration.ofMillis(50));
  }

  /** With the next, a connection on which nothing came since is taken to be broken. */
  private static final int MOST_UNANSWERED = 2;

  /** A server that is silent for so long ends the reading of a caller, and the connection. */
  private static final int MOST_PAUSES = 20;

  /** A caller returns within this time. */
  static final Duration LONGEST_HEARING = Times.USUAL.pause().multipliedBy(MOST_PAUSES + 2);

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private final Connections connections;
  private final Threads threads;
  private final Clock clock;
  private final long pingNanos;
  private final BiPredicate<JedisListening, ServerError> isElsewhere;

  private final ReadingTurn turn;
  private final Map<String, Subscription> channels = new ConcurrentHashMap<>();

  /** The one that was heard last: mostly the only one. */
  private volatile @Nullable Subscription recent;

  private final ReentrantLock mutex = new ReentrantLock();
  private boolean started;
  private boolean closed;

  /** That is read from, in turn. */
  private volatile @Nullable Link listened;

  private @Nullable Link current;

  /** That which is about to be ended. */
  private @Nullable Link ending;

  private long begun;

  /** How many pings were sent since something came. Changed without the mutex. */
  private final AtomicInteger unanswered = new AtomicInteger();

  private long pause = FIRST_PAUSE_NANOS;

  /** To channels of one server. */
  JedisListening(Connections connections, Threads threads, Clock clock) {
    this(connections, threads, clock, Times.USUAL, (here, error) -> false);
  }

  /**
   * To channels of a node of a cluster.
   *
   * @param isElsewhere told of an error that a subscription was answered; returns whether it only
   *     says that another node serves the channel
   */
  JedisListening(
      Connections connections,
      Threads threads,
      Clock clock,
      Times times,
      BiPredicate<JedisListening, ServerError> isElsewhere) {
    this.connections = connections;
    this.threads = threads;
    this.clock = clock;
    this.turn = new ReadingTurn(clock, times.pause(), this::isLate);
    this.pingNanos = times.ping().toNanos();
    this.isElsewhere = isElsewhere;
  }

  /** Of a channel that will be listened to here as soon as a waiter asks for it. */
  Subscription listen(String channel, Consumer<byte[]> message, Runnable again) {
    return new Subscription(connections.server(), channel, message, again, this::add);
  }

  // ---- which channels

  /** Has a channel listened to, unless it is already. Sends nothing on the caller's thread. */
  void add(Subscription subscription) {
    subscription.moveTo(this);
    mutex.lock();
    try {
      boolean isNew = channels.put(subscription.channel(), subscription) == null;
      if (!closed) {
        if (!started) {
          started = true;
          threads.background(this::listen);
        } else if (isNew && current != null) {
          subscribe(current, List.of(subscription));
        }
        return;
      }
    } finally {
      mutex.unlock();
    }
    subscription.close();
  }

  /** A channel is listened to elsewhere. */
  void remove(Subscription subscription) {
    channels.remove(subscription.channel(), subscription);
    recent = null;
    subscription.left(this);
  }

  boolean isEmpty() {
    return channels.isEmpty();
  }

  private @Nullable Subscription find(byte[] name) {
    Subscription last = recent;
    if (last != null && last.isOf(name)) {
      return last;
    }
    Subscription found = channels.get(Command.text(name));
    recent = found;
    return found;
  }

  // ---- sending, on the timer's thread alone

  private void subscribe(Link opened, Collection<Subscription> all) {
    send(
        opened,
        all.stream()
            .map(Subscription::channel)
            .map(each -> Command.of(Keys.isOfBucket(each) ? Name.SSUBSCRIBE : Name.SUBSCRIBE, each))
            .toList());
  }

  private void send(Link opened, List<Command> commands) {
    threads.schedule(() -> sendNow(opened, commands), 0);
  }

  private void sendNow(Link opened, List<Command> commands) {
    try {
      opened.send(commands);
    } catch (RuntimeException | Error e) {
      Log.debug("a command was not sent; the thread that reads ends", e);
      opened.end();
    }
  }

  private void ping(Link opened) {
    if (!isCurrent(opened)) {
      return;
    }
    if (unanswered.getAndIncrement() >= MOST_UNANSWERED) {
      opened.end();
      return;
    }
    sendNow(opened, List.of(Command.of(Name.PING)));
    threads.schedule(() -> ping(opened), pingNanos);
  }

  private boolean isCurrent(Link opened) {
    mutex.lock();
    try {
      return !closed && opened.equals(current);
    } finally {
      mutex.unlock();
    }
  }

  // ---- listening

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
    opened.listen();
    mutex.lock();
    try {
      if (closed) {
        return false;
      }
      current = opened;
      unanswered.set(0);
      begun = clock.nanos();
      subscribe(opened, channels.values());
      return true;
    } finally {
      mutex.unlock();
    }
  }

  private void read(Link opened) {
    listened = opened;
    Scheduler.Timer ping = threads.schedule(() -> ping(opened), pingNanos);
    try {
      while (true) {
        hear(opened);
        letCallersRead();
      }
    } finally {
      ping.cancel();
    }
  }

  /** Ends by what a caller met: here it is known what to do then. */
  private void letCallersRead() {
    turn.offer();
    Throwable met = turn.failure();
    if (met instanceof RuntimeException exception) {
      throw exception;
    } else if (met instanceof Error error) {
      throw error;
    }
  }

  /** See {@link Wire.Listening#keepsHearing}. */
  boolean keepsHearing() {
    return turn.keep();
  }

  /** See {@link Wire.Listening#hearWithoutCallers}. */
  void hearWithoutCallers() {
    turn.recall();
  }

  /** See {@link Wire.Listening#hear}. */
  boolean hear(BooleanSupplier served) {
    if (!turn.take(served)) {
      return false;
    }
    Throwable met = null;
    try {
      hear(Objects.requireNonNull(listened));
      return true;
    } catch (RuntimeException | Error e) {
      met = e;
      return false;
    } finally {
      turn.leave(met);
    }
  }

  /** A caller has read for so many pauses: it is to look after what does not come from here. */
  private void isLate(int pauses) {
    Link opened = Objects.requireNonNull(listened);
    if (pauses == 1) {
      // The answer wakes it
      send(opened, List.of(Command.of(Name.PING)));
    } else if (pauses >= MOST_PAUSES) {
      opened.end();
    }
  }

  /** Waits for the next that comes, and hears it. */
  private void hear(Link opened) {
    try {
      Subscription last = recent;
      byte[] text = last == null ? null : opened.message(last);
      if (last == null || text == null) {
        heard(opened.next(), opened);
      } else {
        last.heard(text);
      }
    } catch (JedisDataException e) {
      if (!isElsewhere.test(this, Link.error(e))) {
        throw e;
      }
    }
    unanswered.set(0);
  }

  private void heard(Object sent, Link opened) {
    // Else it is the answer to a ping, where the application's client speaks RESP3.
    if (!(sent instanceof List<?> push) || !(push.get(1) instanceof byte[] name)) {
      return;
    }
    Subscription about = find(name);
    if (about == null) {
      return;
    }
    byte[] kind = (byte[]) push.get(0);
    if (Arrays.equals(kind, MESSAGE) || Arrays.equals(kind, SHARD_MESSAGE)) {
      about.heard(Replies.bulk(push.get(2)));
    } else if (Arrays.equals(kind, SUBSCRIBED) || Arrays.equals(kind, SHARD_SUBSCRIBED)) {
      began(about);
    } else if (Arrays.equals(kind, SHARD_UNSUBSCRIBED)) {
      // Its slot has moved: the answer to another subscription says to where
      about.left(this);
      subscribe(opened, List.of(about));
    }
  }

  private void began(Subscription subscription) {
    mutex.lock();
    try {
      pause = FIRST_PAUSE_NANOS;
    } finally {
      mutex.unlock();
    }
    if (subscription.began(this)) {
      threads.schedule(() -> threads.background(subscription::askAgain), Wire.soon());
    }
  }

  private void broke(StoreException why) {
    mutex.lock();
    try {
      current = null;
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
    channels.values().forEach(each -> each.broke(this, why));
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
    } finally {
      mutex.unlock();
    }
    channels.values().forEach(Subscription::close);
    if (open != null) {
      open.end();
    }
    turn.recall();
  }
}
