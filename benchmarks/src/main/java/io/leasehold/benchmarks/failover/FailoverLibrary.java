package io.leasehold.benchmarks.failover;

import static io.leasehold.benchmarks.failover.FailoverServers.PATIENCE;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.benchmarks.failover.Party.Grant;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

/** Which locks are compared. */
enum FailoverLibrary {
  /** Itself. */
  LEASEHOLD("Leasehold", Leasehold.class, true),
  /** A grant counts once a replica has it. */
  REPLICAS("Leasehold, `?replicas=1`", Leasehold.class, true),
  /** With one address, where it does not wait for replicas. */
  REDISSON("Redisson, `RLock`", Redisson.class, false),
  /** The same. */
  FENCED("Redisson, `RFencedLock`", Redisson.class, false),
  /** It waits for replicas in all its modes but that of a single server. */
  MASTER_SLAVE("Redisson, `RLock`, master-slave", Redisson.class, false);

  private final String title;
  private final Class<?> type;
  private final boolean ours;

  FailoverLibrary(String title, Class<?> type, boolean ours) {
    this.title = title;
    this.type = type;
    this.ours = ours;
  }

  String title() {
    return title;
  }

  /** A class of it. */
  Class<?> type() {
    return type;
  }

  boolean isOurs() {
    return ours;
  }

  /** Whether a grant that no replica has does not count. */
  boolean waitsForReplicas() {
    return this == REPLICAS;
  }

  /** Whether it ever tells a holder that the lock is lost. */
  boolean tells() {
    return ours;
  }

  /** Whether its grants have a token that data can check. */
  boolean isFenced() {
    return ours || this == FENCED;
  }

  /**
   * Connects.
   *
   * @param ttl of its locks
   */
  Party connect(String url, Duration ttl) {
    return switch (this) {
      case LEASEHOLD -> leasehold(url, ttl);
      case REPLICAS -> leasehold(url + "?replicas=1&within=10s", ttl);
      case REDISSON -> redisson(single(url), ttl, FailoverLibrary::lock);
      case FENCED -> redisson(single(url), ttl, FailoverLibrary::fenced);
      case MASTER_SLAVE -> redisson(masterSlave(url), ttl, FailoverLibrary::lock);
    };
  }

  private static Party leasehold(String url, Duration ttl) {
    LockClient locks = Leasehold.builder(url).ttl(ttl).requestTimeout(PATIENCE).build();
    return new Party() {
      @Override
      public Optional<Grant> tryAcquire(String name) {
        return unlessFailed(() -> locks.lock(name).tryAcquire().map(FailoverLibrary::grant));
      }

      @Override
      public void close() {
        locks.close();
      }
    };
  }

  private static Grant grant(Lease lease) {
    CompletableFuture<Void> told = new CompletableFuture<>();
    lease.onLost(() -> told.complete(null));
    return new Grant(
        lease::isHeld, OptionalLong.of(lease.fencingToken()), Optional.of(told), lease::release);
  }

  private static Config single(String url) {
    Config config = new Config();
    config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(1);
    return config;
  }

  private static Config masterSlave(String url) {
    Config config = new Config();
    config
        .useMasterSlaveServers()
        .setMasterAddress(url)
        .setReadMode(ReadMode.MASTER)
        .setSubscriptionMode(SubscriptionMode.MASTER)
        .setMasterConnectionMinimumIdleSize(1);
    return config;
  }

  /** As its users get it; with fewer threads, since there are many clients in this process. */
  private static Party redisson(
      Config config, Duration ttl, Function<Name, Optional<Grant>> tryLock) {
    RedissonClient redisson =
        Redisson.create(
            config.setLockWatchdogTimeout(ttl.toMillis()).setThreads(2).setNettyThreads(2));
    return new Party() {
      @Override
      public Optional<Grant> tryAcquire(String name) {
        return unlessFailed(() -> tryLock.apply(new Name(redisson, name)));
      }

      @Override
      public void close() {
        redisson.shutdown(0, PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    };
  }

  private record Name(RedissonClient redisson, String name) {}

  private static Optional<Grant> lock(Name name) {
    RLock lock = name.redisson().getLock(name.name());
    return lock.tryLock() ? Optional.of(untold(OptionalLong.empty(), lock)) : Optional.empty();
  }

  /** Without the arguments it waits without limit. */
  private static Optional<Grant> fenced(Name name) {
    RFencedLock lock = name.redisson().getFencedLock(name.name());
    return Optional.ofNullable(lock.tryLockAndGetToken(0, -1, TimeUnit.MILLISECONDS))
        .map(token -> untold(OptionalLong.of(token), lock));
  }

  /** Nothing but a question to the server ends the belief. */
  private static Grant untold(OptionalLong token, RLock lock) {
    return new Grant(() -> true, token, Optional.empty(), lock::unlock);
  }

  /** A call that fails gives its caller no lock. */
  private static Optional<Grant> unlessFailed(Supplier<Optional<Grant>> call) {
    try {
      return call.get();
    } catch (StoreException | RedisException failed) {
      return Optional.empty();
    }
  }
}
