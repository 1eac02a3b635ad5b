package io.leasehold.gallery;

import java.util.List;

/** The gallery. */
final class Catalog {
  private static final List<Exhibit> EXHIBITS =
      List.of(
          new Exhibit(
              "1",
              "SETNX, then EXPIRE",
              Harm.LOCKED_FOR_EVER,
              NoExpiryScenes::killedBetween,
              NoExpiryScenes::onLeaseholdKilled),
          new Exhibit(
              "2",
              "DEL without asking whose",
              Harm.TWO_HOLDERS,
              ReleaseScenes::plainDelete,
              ReleaseScenes::onLeaseholdLate),
          new Exhibit(
              "3",
              "GET, then DEL",
              Harm.TWO_HOLDERS,
              ReleaseScenes::getThenDelete,
              ReleaseScenes::onLeaseholdLate),
          new Exhibit(
              "4a",
              "SETNX with a timestamp: the null race",
              Harm.TWO_HOLDERS,
              TimestampScenes::nullRace,
              TimestampScenes::onLeasehold),
          new Exhibit(
              "4b",
              "SETNX with a timestamp: two winners",
              Harm.TWO_HOLDERS,
              TimestampScenes::unchecked,
              TimestampScenes::onLeaseholdTwoTakers),
          new Exhibit(
              "4c",
              "SETNX with a timestamp: clocks differ",
              Harm.TWO_HOLDERS,
              TimestampScenes::clocks,
              TimestampScenes::onLeaseholdClocks),
          new Exhibit(
              "4d",
              "SETNX with a timestamp: a second of tolerance",
              Harm.TWO_HOLDERS,
              TimestampScenes::tolerance,
              TimestampScenes::onLeaseholdAlmostOver),
          new Exhibit(
              "4e",
              "SETNX with a timestamp: the comparison inverted",
              Harm.TWO_HOLDERS,
              TimestampScenes::inverted,
              TimestampScenes::onLeasehold),
          new Exhibit(
              "5a",
              "A repair of ttl -1",
              Harm.TWO_HOLDERS,
              NoExpiryScenes::repair,
              NoExpiryScenes::onLeaseholdKilled),
          new Exhibit(
              "5b",
              "A retry loop that never returns",
              Harm.ENDLESS,
              NoExpiryScenes::endlessRetry,
              NoExpiryScenes::onLeaseholdTimeout),
          new Exhibit(
              "6",
              "WATCH, MULTI, and EXEC is not looked at",
              Harm.NOT_RELEASED,
              ReleaseScenes::watchedRelease,
              ReleaseScenes::onLeaseholdRenewedAndReleased),
          new Exhibit(
              "7",
              "A script without an owner",
              Harm.TWO_HOLDERS,
              ReleaseScenes::luaWithoutOwner,
              ReleaseScenes::onLeaseholdLate),
          new Exhibit(
              "8",
              "A fixed ttl, and longer work",
              Harm.LOST_UPDATE,
              RenewalScenes::fixedTtl,
              RenewalScenes::onLeaseholdFixedTtl),
          new Exhibit(
              "9",
              "A watchdog that outlives its holder",
              Harm.LOCKED_FOR_EVER,
              RenewalScenes::watchdog,
              RenewalScenes::onLeaseholdWatchdog),
          new Exhibit(
              "10a",
              "Redlock: a pause",
              Harm.LOST_UPDATE,
              RedlockScenes::pause,
              RedlockScenes::onLeaseholdPause),
          new Exhibit(
              "10b",
              "Redlock: a clock jumps",
              Harm.TWO_HOLDERS,
              RedlockScenes::clockJump,
              RedlockScenes::onLeaseholdClockJump),
          new Exhibit(
              "10c",
              "Redlock: a restart without persistence",
              Harm.TWO_HOLDERS,
              RedlockScenes::restart,
              RedlockScenes::onLeaseholdRestart),
          new Exhibit(
              "11a",
              "A unique row without an end",
              Harm.LOCKED_FOR_EVER,
              RowScenes::withoutEnd,
              RowScenes::onLeaseholdKilled),
          new Exhibit(
              "11b",
              "A row with an end, deleted by its name",
              Harm.TWO_HOLDERS,
              RowScenes::deletedByName,
              RowScenes::onLeaseholdLate),
          new Exhibit(
              "12a",
              "FOR UPDATE of a row that is not there",
              Harm.TWO_HOLDERS,
              RowScenes::forUpdateOfNothing,
              RowScenes::onLeaseholdNewName),
          new Exhibit(
              "12b",
              "FOR UPDATE by a column without an index",
              Harm.STANDSTILL,
              RowScenes::forUpdateWithoutIndex,
              RowScenes::onLeaseholdOtherName),
          new Exhibit(
              "12c",
              "FOR UPDATE, then INSERT: two in one gap",
              Harm.DEADLOCK,
              RowScenes::gapDeadlock,
              RowScenes::onLeaseholdNewName),
          new Exhibit(
              "13a",
              "An optimistic version, and the count is ignored",
              Harm.LOST_UPDATE,
              DataScenes::versionIgnored,
              DataScenes::onLeaseholdVersion),
          new Exhibit(
              "13b",
              "The same owner again: ABA",
              Harm.LOST_UPDATE,
              DataScenes::aba,
              DataScenes::onLeaseholdAba),
          new Exhibit(
              "14a",
              "ZooKeeper: a persistent node",
              Harm.LOCKED_FOR_EVER,
              ZooKeeperScenes::persistent,
              NoExpiryScenes::onLeaseholdKilled),
          new Exhibit(
              "14b",
              "ZooKeeper: one node for all, the herd",
              Harm.FLOOD,
              ZooKeeperScenes::herd,
              ZooKeeperScenes::onLeaseholdHerd),
          new Exhibit(
              "14c",
              "ZooKeeper: the session expires, the work goes on",
              Harm.LOST_UPDATE,
              ZooKeeperScenes::expired,
              RedlockScenes::onLeaseholdPause),
          new Exhibit(
              "15a",
              "Consul: a busy loop",
              Harm.FLOOD,
              ConsulScenes::busyLoop,
              ConsulScenes::onLeaseholdWaits),
          new Exhibit(
              "15b",
              "Consul: a session that is never renewed",
              Harm.TWO_HOLDERS,
              ConsulScenes::neverRenewed,
              RenewalScenes::onLeaseholdRenewed),
          new Exhibit(
              "15c",
              "Consul: lock-delay taken for a bug",
              Harm.TWO_HOLDERS,
              ConsulScenes::lockDelay,
              RedlockScenes::onLeaseholdPause),
          new Exhibit(
              "16",
              "memcached: a ttl below a second",
              Harm.LOCKED_FOR_EVER,
              MemcachedScenes::belowASecond,
              MemcachedScenes::onLeaseholdShortTtl),
          new Exhibit(
              "17a",
              "The owner is a host name",
              Harm.TWO_HOLDERS,
              OwnerScenes::hostName,
              OwnerScenes::onLeaseholdOwner),
          new Exhibit(
              "17b",
              "The owner is a thread id",
              Harm.TWO_HOLDERS,
              OwnerScenes::threadId,
              OwnerScenes::onLeaseholdOwner),
          new Exhibit(
              "17c",
              "Re-entry counted in the store alone",
              Harm.TWO_HOLDERS,
              OwnerScenes::counted,
              OwnerScenes::onLeaseholdCounted),
          new Exhibit(
              "18",
              "Idempotency: check, then insert",
              Harm.DONE_TWICE,
              DataScenes::checkThenInsert,
              DataScenes::onLeaseholdCheckThenInsert));

  private Catalog() {}

  static List<Exhibit> exhibits() {
    return EXHIBITS;
  }

  /** Those with this number, with or without a letter. */
  static List<Exhibit> find(String id) {
    return EXHIBITS.stream()
        .filter(each -> each.id().equals(id) || each.id().replaceAll("[a-z]$", "").equals(id))
        .toList();
  }
}
