package io.leasehold.peers;

import java.util.Map;
import java.util.TreeMap;

/** What was observed of each test that fails, in a line. */
final class Observed {
  private Observed() {}

  static Map<String, String> redissonPlain() {
    return Map.of(
        "R01_severalLocksDoNotDeadlock",
        "two callers that name two locks in opposite order wait for each other: the locks are"
            + " taken in the order given",
        "R12_aWaitThatEndsInAnOutageIsAStoreException",
        "a wait that ends while the server cannot be reached reports a busy lock",
        "R14_closeEndsEveryWait",
        "a waiter still waits after shutdown()",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "waitTime does not limit the first request; only the general request timeout does",
        "R16_anAsynchronousWaitEndsThoughTheStoreIsSilent",
        "waitTime does not limit the first request; only the general request timeout does",
        "R18_aCallOnAnInterruptedThreadThrows",
        "throws RedisException that wraps InterruptedException",
        "R18_whatIsNotInterruptibleKeepsTheFlag",
        "tryLock() on an interrupted thread throws RedisException",
        "R18_theLockViewWaitsOn",
        "lock() that is interrupted while it waits returns without the interrupt flag, or throws",
        "R19_reentryCostsNoRequest",
        "each entry, exit and isHeldByCurrentThread() is a request");
  }

  static Map<String, String> redisson() {
    Map<String, String> all = new TreeMap<>(redissonPlain());
    all.put(
        "R09_aFairWaiterThatGivesUpIsNotInTheWay",
        "an interrupted waiter of an RFairLock keeps its place, and the waiters behind it wait,"
            + " until fairLockWaitTimeout ends");
    all.put(
        "R10_aDeadWaiterBlocksNobody",
        "the place of a dead waiter of an RFairLock stays for longer than its"
            + " fairLockWaitTimeout of 1 s: the waiter behind it still waits after 15 s"
            + " although the lock is free");
    all.put("R19_aReadInsideAWriteCostsNoRequest", "the read lock is a request");
    return all;
  }

  static Map<String, String> curator() {
    return Map.of(
        "R01_severalLocksDoNotDeadlock",
        "two callers that name two locks in opposite order wait for each other: the locks are"
            + " taken in the order given",
        "R14_closeEndsEveryThread",
        "the thread Curator-SafeNotifyService, started by the first wait, outlives close()",
        "R16_aWaitEndsThoughTheStoreFallsSilent",
        "the wait ends not by its own time limit but by the connection's timeout",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "the wait ends not by its own time limit but by the connection's timeout",
        "R17_reentryThrowsOnceTheLeaseIsOver",
        "acquire() by the thread that held it succeeds after the session is lost",
        "R19_aReadInsideAWriteCostsNoRequest",
        "the read lock creates its own node");
  }

  private static final String ONE_MUTEX =
      "different names share a local lock: of 200, each tried by its own thread, 40 to 60 were"
          + " busy (spring-integration issue 11146)";

  private static Map<String, String> spring() {
    return Map.of(
        "R09_aWaiterThatIsInterruptedLeavesNoTrace",
        "an interrupted tryLock(time) throws CannotAcquireLockException that wraps"
            + " InterruptedException",
        "R09_whoGivesUpIsNotInTheWay",
        "an interrupted tryLock(time) throws CannotAcquireLockException that wraps"
            + " InterruptedException",
        "R13_hostileNamesDoNotCollide",
        ONE_MUTEX,
        "R16_aWaitEndsThoughTheStoreFallsSilent",
        "the wait ends not by its own time limit but by the driver's timeout",
        "R16_aWaitEndsThoughTheStoreIsSilent",
        "the wait ends not by its own time limit but by the driver's timeout",
        "R18_theLockViewWaitsOn",
        "lock() swallows the interrupt");
  }

  static Map<String, String> springJdbc() {
    Map<String, String> all = new TreeMap<>(spring());
    all.put(
        "R12_aWaiterOutlastsAnOutage",
        "the first failed statement ends the wait with an exception");
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
        "unlock() of an expired lock reports nothing, and frees the lock of its successor on"
            + " the same host: locked_by is the host name");
  }
}
