package io.leasehold.peers;

import io.leasehold.LockOptions;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ClientSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;

/**
 * Redisson on one server. The ttl is its lockWatchdogTimeout and its fairLockWaitTimeout, kept by
 * its watchdog; a lease that is not renewed is taken with a leaseTime. Two retries after tenths of
 * a second, and fewer threads and connections than its defaults.
 */
final class RedissonFixture extends PeerFixture {
  /** Which of its locks is the plain one. */
  enum Plain {
    /** RLock. */
    LOCK,
    /** RFencedLock. */
    FENCED
  }

  private static final String KEY = "a name is a key of Redis, for one kind of object";
  private static final String ORDER = "only RFairLock names an order";

  private static final Map<String, String> EXCLUDED =
      Map.of(
          "R12_aStoreThatCannotBeReachedFailsFast", "when it gives up is a setting: its retries",
          "R13_whatIsNoNameIsRefused", "it names no names that it would refuse",
          "R01_aLockOfAnotherKindIsAnError", KEY,
          "R01_theWriteLockIsTheLock", KEY,
          "R20_aReaderDoesNotSlipPastAWriter", ORDER,
          "R20_noTryOvertakesAWaiter", ORDER,
          "R20_waitersOfOneProcessAreServedInOrder", ORDER);

  private final Plain plain;

  RedissonFixture(Plain plain) {
    super(
        Server::redis,
        plain == Plain.FENCED
            ? Set.of(Ability.WAIT, Ability.VALIDITY, Ability.FENCING)
            : Set.of(Ability.WAIT, Ability.VALIDITY, Ability.SHARED, Ability.PERMITS, Ability.FAIR),
        EXCLUDED);
    this.plain = plain;
  }

  @Override
  PeerClient connect(Wire wire, ClientSettings settings) {
    Config config = new Config().setThreads(4).setNettyThreads(4);
    settings
        .ttl()
        .map(Duration::toMillis)
        .ifPresent(ttl -> config.setLockWatchdogTimeout(ttl).setFairLockWaitTimeout(ttl));
    config
        .useSingleServer()
        .setAddress("redis://127.0.0.1:" + wire.port())
        .setTimeout((int) settings.requestTimeout().toMillis())
        .setRetryAttempts(2)
        .setRetryDelay(new ConstantDelay(Duration.ofMillis(100)))
        .setConnectionMinimumIdleSize(2)
        .setConnectionPoolSize(16);
    return new Client(wire, Redisson.create(config), plain, settings);
  }

  private static final class Client extends PeerClient {
    private final RedissonClient redisson;
    private final AtomicLong ids = RedissonMutex.ids();
    private final Plain plain;
    private final Duration ttl;

    Client(Wire wire, RedissonClient redisson, Plain plain, ClientSettings settings) {
      super(wire);
      this.redisson = redisson;
      this.plain = plain;
      this.ttl = settings.ttl().orElse(Duration.ofSeconds(30));
    }

    private Mutex of(RLock lock, LockOptions options) {
      if (options.renewal() == LockOptions.Renewal.NONE) {
        return new RedissonMutex(lock, options.ttl().orElse(ttl).toMillis(), ids);
      }
      if (options.ttl().isPresent()) {
        throw new UnsupportedOperationException("what is renewed has the ttl of its client");
      }
      return new RedissonMutex(lock, RedissonMutex.WATCHED, ids);
    }

    @Override
    boolean isFair() {
      return plain == Plain.LOCK;
    }

    @Override
    Mutex mutex(String name, LockOptions options) {
      if (plain == Plain.FENCED) {
        return of(redisson.getFencedLock(name), options);
      }
      return of(
          options.order() == LockOptions.Order.FAIR
              ? redisson.getFairLock(name)
              : redisson.getLock(name),
          options);
    }

    @Override
    Mutex readMutex(String name, LockOptions options) {
      return of(redisson.getReadWriteLock(name).readLock(), options);
    }

    @Override
    Mutex writeMutex(String name, LockOptions options) {
      return of(redisson.getReadWriteLock(name).writeLock(), options);
    }

    @Override
    Mutex all(List<String> names, LockOptions options) {
      RLock[] locks = names.stream().map(redisson::getLock).toArray(RLock[]::new);
      return of(redisson.getMultiLock(locks), options);
    }

    /** Its permits are not renewed: they have a leaseTime. */
    @Override
    Mutex permits(String name, int size, int permits, LockOptions options) {
      RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
      return new RedissonPermits(semaphore, size, permits, options.ttl().orElse(ttl).toMillis());
    }

    @Override
    void shutdown() {
      redisson.shutdown();
    }
  }
}
