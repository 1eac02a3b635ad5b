package io.leasehold.peers;

import java.util.Map;
import java.util.TreeMap;

/** What was observed of each test that fails, in a line. */
final class Observed {
  private Observed() {}

  static Map<String, String> redissonPlain() {
    return Map.of(
        "R01_severalLocksDoNotDeadlock",
        "two that name two locks in opposite order wait for each other: they are taken as named",
        "R12_aWaitThatEndsInAnOutageIsAStoreException",
        "a wait that ends while the server cannot be reached says that the lock was busy",
        "R14_closeEndsEveryWait",
        "a waiter still waits after shutdown()",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "the first request is not limited by waitTime, only by the timeout of all requests",
        "R16_anAsynchronousWaitEndsThoughTheStoreIsSilent",
        "the first request is not limited by waitTime, only by the timeout of all requests",
        "R18_aCallOnAnInterruptedThreadThrows",
        "RedisException with the InterruptedException inside",
        "R18_whatIsNotInterruptibleKeepsTheFlag",
        "tryLock() on an interrupted thread throws RedisException",
        "R18_theLockViewWaitsOn",
        "lock() that was interrupted while it waited returns without the flag, or throws",
        "R19_reentryCostsNoRequest",
        "each entry, exit and isHeldByCurrentThread() is a request");
  }

  static Map<String, String> redisson() {
    Map<String, String> all = new TreeMap<>(redissonPlain());
    all.put(
        "R09_aFairWaiterThatGivesUpIsNotInTheWay",
        "an interrupted waiter of an RFairLock keeps its place, and those behind it wait, until"
            + " fairLockWaitTimeout ends");
    all.put(
        "R10_aDeadWaiterBlocksNobody",
        "the place of a dead waiter of an RFairLock stays for longer than its fairLockWaitTimeout of"
            + " 1 s: who is behind it still waits after 15 s, the lock free");
    all.put("R19_aReadInsideAWriteCostsNoRequest", "the read lock is a request");
    return all;
  }

  static Map<String, String> curator() {
    return Map.of(
        "R01_severalLocksDoNotDeadlock",
        "two that name two locks in opposite order wait for each other: they are taken as named",
        "R14_closeEndsEveryThread",
        "the thread Curator-SafeNotifyService, there once a lock was waited for, outlives close()",
        "R16_aWaitEndsThoughTheStoreFallsSilent",
        "the wait is not limited by its time, but by the connection's timeout",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "the wait is not limited by its time, but by the connection's timeout",
        "R17_reentryThrowsOnceTheLeaseIsOver",
        "acquire() by the thread that held it succeeds after the session is lost",
        "R19_aReadInsideAWriteCostsNoRequest",
        "the read lock is a node of its own");
  }

  private static final String ONE_MUTEX =
      "different names share a local lock: of 200, each tried by its own thread, 40 to 60 were busy"
          + " (spring-integration issue 11146)";

  private static Map<String, String> spring() {
    return Map.of(
        "R09_aWaiterThatIsInterruptedLeavesNoTrace",
        "tryLock(time), interrupted, throws CannotAcquireLockException around InterruptedException",
        "R09_whoGivesUpIsNotInTheWay",
        "tryLock(time), interrupted, throws CannotAcquireLockException around InterruptedException",
        "R13_hostileNamesDoNotCollide",
        ONE_MUTEX,
        "R16_aWaitEndsThoughTheStoreFallsSilent",
        "the wait is not limited by its time, but by the driver's timeout",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "the wait is not limited by its time, but by the driver's timeout",
        "R18_theLockViewWaitsOn",
        "lock() swallows the interrupt");
  }

  static Map<String, String> springJdbc() {
    Map<String, String> all = new TreeMap<>(spring());
    all.put(
        "R12_aWaiterOutlastsAnOutage",
        "the first statement that fails ends the wait with a failure");
    all.put(
        "R14_closeIsBoundedThoughTheStoreIsSilent",
        "close() of the repository throws if the database does not answer");
    return all;
  }

  static Map<String, String> springRedis() {
    Map<String, String> all = new TreeMap<>(spring());
    all.put(
        "R18_whatIsNotInterruptibleKeepsTheFlag",
        "tryLock() on an interrupted thread throws CannotAcquireLockException");
    return all;
  }

  static Map<String, String> shedLock() {
    return Map.of(
        "R07_releasingWhatWasLostSaysSo",
        "unlock() of a lock that expired says nothing, and frees that of its successor on the same"
            + " host: locked_by is the name of the host");
  }
}
