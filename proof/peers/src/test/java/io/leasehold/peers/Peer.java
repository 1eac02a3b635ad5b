package io.leasehold.peers;

import io.leasehold.testkit.contract.ContractFixture;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The libraries on the bench, and what was observed where they behave otherwise than our rules. */
enum Peer {
  REDISSON(
      "Redisson",
      "peers.redisson",
      "RLock, RFairLock, RReadWriteLock, RPermitExpirableSemaphore, RedissonMultiLock; its watchdog"
          + " renews",
      () -> new RedissonFixture(RedissonFixture.Plain.LOCK),
      Observed.redisson(),
      Set.of("R09_givingUpDuringACutLeavesNoTrace", "R12_aWaiterOutlastsAnOutage")),
  REDISSON_FENCED(
      "Redisson RFencedLock",
      "peers.redisson",
      "its lock with fencing tokens; its watchdog renews",
      () -> new RedissonFixture(RedissonFixture.Plain.FENCED),
      Observed.redissonPlain(),
      Set.of("R09_givingUpDuringACutLeavesNoTrace", "R12_aWaiterOutlastsAnOutage")),
  CURATOR(
      "Curator",
      "peers.curator",
      "InterProcessMutex, InterProcessReadWriteLock, InterProcessSemaphoreV2,"
          + " InterProcessMultiLock; the ttl is the session's; the holder watches the state of the"
          + " connection",
      CuratorFixture::new,
      Observed.curator(),
      Set.of(
          "R09_givingUpDuringACutLeavesNoTrace", "R12_aWaitThatEndsInAnOutageIsAStoreException")),
  SPRING_JDBC(
      "Spring Integration JDBC",
      "peers.spring",
      "JdbcLockRegistry on H2; nothing renews by itself",
      SpringJdbcFixture::new,
      Observed.springJdbc(),
      Set.of("R09_givingUpDuringACutLeavesNoTrace")),
  SPRING_REDIS(
      "Spring Integration Redis",
      "peers.spring",
      "RedisLockRegistry by Lettuce; a scheduler renews",
      SpringRedisFixture::new,
      Observed.springRedis(),
      Set.of(
          "R09_givingUpDuringACutLeavesNoTrace",
          "R12_aWaitThatEndsInAnOutageIsAStoreException",
          "R12_aWaiterOutlastsAnOutage",
          "R18_aCallOnAnInterruptedThreadThrows",
          "R18_anInterruptEndsAWait")),
  SHEDLOCK(
      "ShedLock",
      "peers.shedlock",
      "LockProvider over JdbcTemplate on H2, with the database's time; it tries and does not wait",
      ShedLockFixture::new,
      Observed.shedLock(),
      Set.of());

  private final String library;
  private final String versionProperty;
  private final String settings;
  private final Supplier<ContractFixture> fixture;
  private final Map<String, String> observed;
  private final Set<String> uncounted;

  Peer(
      String library,
      String versionProperty,
      String settings,
      Supplier<ContractFixture> fixture,
      Map<String, String> observed,
      Set<String> uncounted) {
    this.library = library;
    this.versionProperty = versionProperty;
    this.settings = settings;
    this.fixture = fixture;
    this.observed = new TreeMap<>(observed);
    this.uncounted = new TreeSet<>(uncounted);
  }

  /** Name and version. */
  String title() {
    return library + " " + System.getProperty(versionProperty);
  }

  String settings() {
    return settings;
  }

  Supplier<ContractFixture> fixture() {
    return fixture;
  }

  /** By test: what was seen, and seen by hand too, of a test that fails. */
  Map<String, String> observed() {
    return observed;
  }

  /** The tests that end now so, now so, by the moment of a cut or an interrupt. */
  Set<String> uncounted() {
    return uncounted;
  }

  /** Whether a test always ends so. */
  boolean isCounted(String test) {
    return !uncounted.contains(test);
  }

  /** Why this cannot run here. */
  Optional<String> missing() {
    boolean onRedis = this == REDISSON || this == REDISSON_FENCED || this == SPRING_REDIS;
    return onRedis && Server.redisProgram().isEmpty()
        ? Optional.of(library + " is skipped: no redis-server in PATH (apt install redis-server)")
        : Optional.empty();
  }
}
