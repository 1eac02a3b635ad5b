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
 * waiter that dies keeps it for ever. {@code numbered}: the scripts also write who has it, with a
 * ttl, and a number that rises and goes with the message, as a lock must; but nothing is renewed,
 * compared or given back in time.
 */
final class BareMessage implements Client {
  private static final String TAKE =
      "if redis.call('set', KEYS[1], 1, 'NX') then return 1 end redis.call('rpush', KEYS[2],"
          + " ARGV[1]) return 0";

  /** A waiter is the channel of its process, which is a UUID, and its number there. */
  private static final String LEAVE =
      "local next = redis.call('lpop', KEYS[2]) if next then redis.call('publish', string.sub(next,"
          + " 1, 36), string.sub(next, 37)) else redis.call('del', KEYS[1]) end";

  private static final String TAKE_NUMBERED =
      "if redis.call('exists', KEYS[1]) == 0 then redis.call('set', KEYS[1], ARGV[1] .. ' ' .."
          + " redis.call('incr', KEYS[3]), 'PX', 30000) return 1 end redis.call('rpush', KEYS[2],"
          + " ARGV[1]) redis.call('pexpire', KEYS[1], 30000) return 0";

  private static final String LEAVE_NUMBERED =
      "local next = redis.call('lpop', KEYS[2]) if next then local number = redis.call('incr',"
          + " KEYS[3]) redis.call('set', KEYS[1], next .. ' ' .. number, 'PX', 30000)"
          + " redis.call('publish', string.sub(next, 1, 36), string.sub(next, 37) .. ' ' .. number)"
          + " else redis.call('del', KEYS[1]) end";

  private final boolean numbered;
  private final ThreadLocal<Jedis> connection;
  private final String channel = UUID.randomUUID().toString();
  private final List<Semaphore> granted = new CopyOnWriteArrayList<>();

  BareMessage(String url, boolean numbered) {
    this.numbered = numbered;
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
            int blank = message.indexOf(' ');
            String number = blank < 0 ? message : message.substring(0, blank);
            granted.get(Integer.parseInt(number)).release();
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
    List<String> keys = List.of(name, name + ":waiting", name + ":number");
    String take = connection.get().scriptLoad(numbered ? TAKE_NUMBERED : TAKE);
    String leave = connection.get().scriptLoad(numbered ? LEAVE_NUMBERED : LEAVE);
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
