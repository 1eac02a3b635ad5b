package io.leasehold.peers;

import io.leasehold.servers.Programs;
import io.leasehold.servers.RedisServer;
import io.leasehold.testkit.contract.ContractFixture;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.opentest4j.TestAbortedException;

/** The libraries on the bench, and what was observed where they behave otherwise than our rules. */
enum Peer {
  REDISSON(
      "Redisson",
      "peers.redisson",
      "RLock, RFairLock, RReadWriteLock, RPermitExpirableSemaphore, RedissonMultiLock; the watchdog"
          + " renews"),
  REDISSON_FENCED(
      "Redisson RFencedLock",
      "peers.redisson",
      "the lock with fencing tokens; the watchdog renews"),
  CURATOR(
      "Curator",
      "peers.curator",
      "InterProcessMutex, InterProcessReadWriteLock, InterProcessSemaphoreV2,"
          + " InterProcessMultiLock; the ttl is that of the session; the holder watches the state of the"
          + " connection"),
  SPRING_JDBC(
      "Spring Integration JDBC", "peers.spring", "JdbcLockRegistry on H2; no automatic renewal"),
  SPRING_REDIS(
      "Spring Integration Redis",
      "peers.spring",
      "RedisLockRegistry with Lettuce; a scheduler renews"),
  SHEDLOCK(
      "ShedLock",
      "peers.shedlock",
      "LockProvider over JdbcTemplate on H2, with the database's time; it tries and does not wait");

  private final String library;
  private final String versionProperty;
  private final String settings;

  Peer(String library, String versionProperty, String settings) {
    this.library = library;
    this.versionProperty = versionProperty;
    this.settings = settings;
  }

  /** Name and version. */
  String title() {
    return library + " " + System.getProperty(versionProperty);
  }

  String settings() {
    return settings;
  }

  Supplier<ContractFixture> fixture() {
    return switch (this) {
      case REDISSON -> () -> new RedissonFixture(RedissonFixture.Plain.LOCK);
      case REDISSON_FENCED -> () -> new RedissonFixture(RedissonFixture.Plain.FENCED);
      case CURATOR -> CuratorFixture::new;
      case SPRING_JDBC -> SpringJdbcFixture::new;
      case SPRING_REDIS -> SpringRedisFixture::new;
      case SHEDLOCK -> ShedLockFixture::new;
    };
  }

  /** By test: what was seen of a test that fails. */
  Map<String, String> observed() {
    return new TreeMap<>(
        switch (this) {
          case REDISSON -> Observed.redisson();
          case REDISSON_FENCED -> Observed.redissonPlain();
          case CURATOR -> Observed.curator();
          case SPRING_JDBC -> Observed.springJdbc();
          case SPRING_REDIS -> Observed.springRedis();
          case SHEDLOCK -> Observed.shedLock();
        });
  }

  /** The tests that end now so, now so, by the moment of a cut or an interrupt. */
  Set<String> uncounted() {
    String cut = "R09_givingUpDuringACutLeavesNoTrace";
    String outlasts = "R12_aWaiterOutlastsAnOutage";
    String ends = "R12_aWaitThatEndsInAnOutageIsAStoreException";
    return new TreeSet<>(
        switch (this) {
          case REDISSON, REDISSON_FENCED -> Set.of(cut, outlasts);
          case CURATOR -> Set.of(cut, ends);
          case SPRING_JDBC -> Set.of(cut);
          case SPRING_REDIS ->
              Set.of(
                  cut,
                  outlasts,
                  ends,
                  "R18_aCallOnAnInterruptedThreadThrows",
                  "R18_anInterruptEndsAWait");
          case SHEDLOCK -> Set.of();
        });
  }

  /** Whether a test always ends so. */
  boolean isCounted(String test) {
    return !uncounted().contains(test);
  }

  /** Why this cannot run here. */
  Optional<String> missing() {
    boolean onRedis = this == REDISSON || this == REDISSON_FENCED || this == SPRING_REDIS;
    if (onRedis) {
      try {
        Programs.server(RedisServer.Kind.REDIS_7_0.program());
      } catch (TestAbortedException e) {
        return Optional.of(library + " is skipped: " + e.getMessage());
      }
    }
    return Optional.empty();
  }
}
