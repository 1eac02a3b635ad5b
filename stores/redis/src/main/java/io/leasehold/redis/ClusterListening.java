package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Listens to the channels of buckets, each at the node that serves its slot, over one connection to
 * each such node. A channel follows its slot. Thread-safe.
 */
final class ClusterListening {
  /** Until the nodes agree on who serves a slot, they refer to each other. */
  private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  private final SlotMap slots;
  private final Function<HostAndPort, Link> way;
  private final Clock clock;

  /** One for each node, as long as it listens. */
  private final Threads threads = new Threads(Integer.MAX_VALUE);

  private final Map<Integer, List<Subscription>> bySlot = new ConcurrentHashMap<>();
  private final ReentrantLock mutex = new ReentrantLock();
  private final Map<HostAndPort, JedisListening> nodes = new HashMap<>();
  private boolean closed;

  /** Listens to nothing yet. */
  ClusterListening(SlotMap slots, Function<HostAndPort, Link> way, Clock clock) {
    this.slots = slots;
    this.way = way;
    this.clock = clock;
  }

  /** See {@link Wire#listen}. */
  Wire.Listening listen(String server, String channel, Consumer<byte[]> message, Runnable again) {
    int slot = JedisClusterCRC16.getSlot(channel);
    Subscription made =
        new Subscription(server, channel, message, again, each -> place(slot, each));
    bySlot.computeIfAbsent(slot, none -> new CopyOnWriteArrayList<>()).add(made);
    return made;
  }

  /** Has a channel listened to at the node that serves its slot. Sends nothing on this thread. */
  private void place(int slot, Subscription subscription) {
    HostAndPort owner = slots.owner(slot);
    if (owner == null) {
      subscription.fail(
          new StoreException(Failure.UNAVAILABLE, "no node serves slot " + slot, null));
      return;
    }
    JedisListening unused = null;
    mutex.lock();
    try {
      // Then all subscriptions are closed too
      if (!closed) {
        JedisListening to = nodes.computeIfAbsent(owner, this::listening);
        JedisListening from = subscription.moveTo(to);
        if (from != null && !from.equals(to)) {
          unused = removed(from, subscription);
        }
        to.add(subscription);
      }
    } finally {
      mutex.unlock();
    }
    if (unused != null) {
      unused.close();
    }
  }

  private JedisListening listening(HostAndPort node) {
    return new JedisListening(
        new Connections("Redis at " + node, () -> open(node)),
        threads,
        clock,
        JedisListening.Times.USUAL,
        (here, error) -> isElsewhere(here, node, error));
  }

  private Link open(HostAndPort node) {
    try {
      return way.apply(node);
    } catch (RuntimeException | Error e) {
      // Perhaps another one serves its slots by now
      slots.learnSoon();
      throw e;
    }
  }

  /** The listening itself if it has no channel left. */
  private @Nullable JedisListening removed(JedisListening from, Subscription subscription) {
    from.remove(subscription);
    return from.isEmpty() && nodes.values().remove(from) ? from : null;
  }

  private boolean isElsewhere(JedisListening here, HostAndPort node, ServerError error) {
    if (!error.isOfAnotherNode()) {
      return false;
    }
    int slot = error.slot();
    HostAndPort unused = slots.redirected(error, node);
    bySlot.getOrDefault(slot, List.of()).forEach(here::remove);
    moved(slot);
    return true;
  }

  /** Another node may serve the slot now. */
  void moved(int slot) {
    for (Subscription each : bySlot.getOrDefault(slot, List.of())) {
      if (each.isWanted()) {
        threads.schedule(() -> place(slot, each), PAUSE_NANOS);
      }
    }
  }

  void close() {
    List<JedisListening> all;
    mutex.lock();
    try {
      closed = true;
      all = List.copyOf(nodes.values());
    } finally {
      mutex.unlock();
    }
    bySlot.values().forEach(some -> some.forEach(Subscription::close));
    all.forEach(JedisListening::close);
    threads.close();
  }
}
