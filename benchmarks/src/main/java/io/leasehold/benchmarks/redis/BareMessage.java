package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

/**
 * The least that a hand-over can cost where a process listens on one connection for all that its
 * threads wait for: a script that sends the next process a message, and the listening thread, which
 * wakes the one that waits. First come, first served. It has no ttl and no token, and a holder or
 * waiter that dies keeps it for ever.
 */
final class BareMessage implements Client {
  private static final String TAKE =
      "if redis.call('set', KEYS[1], 1, 'NX') then return 1 end redis.call('rpush', KEYS[2],"
          + " ARGV[1]) return 0";

  /** A waiter is the channel of its process, which is a UUID, and its number there. */
  private static final String LEAVE =
      "local next = redis.call('lpop', KEYS[2]) if next then redis.call('publish', string.sub(next,"
          + " 1, 36), string.sub(next, 37)) else redis.call('del', KEYS[1]) end";

  private final ThreadLocal<Jedis> connection;
  private final String channel = UUID.randomUUID().toString();
  private final List<Semaphore> granted = new CopyOnWriteArrayList<>();

  BareMessage(String url) {
    connection = ThreadLocal.withInitial(() -> new Jedis(URI.create(url), 0));
    CountDownLatch listens = new CountDownLatch(1);
    JedisPubSub listener =
        new JedisPubSub() {
          @Override
          public void onSubscribe(String heard, int channels) {
            listens.countDown();
          }

          @Override
          public void onMessage(String heard, String message) {
            granted.get(Integer.parseInt(message)).release();
          }
        };
    Thread listening =
        new Thread(() -> new Jedis(URI.create(url), 0).subscribe(listener, channel), "listening");
    listening.setDaemon(true);
    listening.start();
    try {
      listens.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For one thread at a time. */
  @Override
  public synchronized Mutex mutex(String name) {
    String waiter = channel + granted.size();
    Semaphore mine = new Semaphore(0);
    granted.add(mine);
    List<String> keys = List.of(name, name + ":waiting");
    String take = connection.get().scriptLoad(TAKE);
    String leave = connection.get().scriptLoad(LEAVE);
    return new Mutex() {
      @Override
      public void lock() {
        if (!connection.get().evalsha(take, keys, List.of(waiter)).equals(1L)) {
          mine.acquireUninterruptibly();
        }
      }

      @Override
      public void unlock() {
        connection.get().evalsha(leave, keys, List.of());
      }
    };
  }
}
