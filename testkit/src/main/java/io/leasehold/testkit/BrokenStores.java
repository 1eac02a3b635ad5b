package io.leasehold.testkit;

import io.leasehold.LockMode;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.text.Normalizer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Stores that are wrong in one thing each, as stores and the libraries before them have been. The
 * contract must fail each of them by the tests of one rule, and pass it by all others: so it is
 * known to look.
 */
public final class BrokenStores {
  private BrokenStores() {}

  /** All of them. */
  public static List<BrokenStore> all() {
    return Stream.of(
            ofGrants(),
            ofTokensAndTtls(),
            ofRenewalsAndReleases(),
            ofWaiters(),
            ofClients(),
            ofSessions(),
            ofNames())
        .flatMap(List::stream)
        .toList();
  }

  private static List<BrokenStore> ofGrants() {
    return List.of(
        new BrokenStore(
            "permits-counted-as-leases",
            1,
            "every lease counts as one permit",
            BrokenStore.names(BrokenQueues::countsLeasesNotPermits)),
        new BrokenStore(
            "permits-granted-in-parts",
            1,
            "what is left of the permits is taken before the rest is there",
            BrokenStore.table(BrokenTables::grantsPermitsInParts)),
        new BrokenStore(
            "size-not-bound",
            1,
            "two sizes of one semaphore at a time",
            BrokenStore.names(BrokenQueues::doesNotBindTheSize)),
        new BrokenStore(
            "kinds-mixed",
            1,
            "a lock and a semaphore on one name are merely busy for each other",
            BrokenStore.names(BrokenQueues::mixesKinds)),
        new BrokenStore(
            "try-waits",
            2,
            "a try waits for the holder",
            BrokenStore.store(BrokenConnections::triesWait)),
        new BrokenStore(
            "repeat-extends",
            3,
            "a repeated attempt renews the lease",
            BrokenStore.table(BrokenTables::repeatsExtend)),
        new BrokenStore(
            "repeat-mints",
            3,
            "a repeated attempt has another number",
            BrokenStore.table(BrokenTables::repeatsMintAgain)));
  }

  private static List<BrokenStore> ofTokensAndTtls() {
    return List.of(
        new BrokenStore(
            "token-reused-after-expiry",
            4,
            "the number of an expired lease is given again",
            BrokenStore.table(BrokenTables::reusesTheTokenOfWhatExpired)),
        new BrokenStore(
            "token-restarts",
            4,
            "the numbers of a name begin again when it was idle",
            BrokenStore.table(BrokenTables::restartsTokensOfIdleNames)),
        new BrokenStore(
            "token-reused-after-break",
            4,
            "the number of a broken lease is given again",
            BrokenStore.table(BrokenTables::reusesTheTokenOfWhatWasBroken)),
        new BrokenStore(
            "token-shared-with-writer",
            4,
            "readers have the number of the writer before them",
            BrokenStore.table(BrokenTables::givesReadersNoTokenOfTheirOwn)),
        new BrokenStore(
            "ttl-zero",
            5,
            "a ttl below a second becomes zero",
            BrokenStore.table(s -> BrokenTables.takesOddTtlsFor(s, Duration.ZERO))),
        new BrokenStore(
            "ttl-infinite",
            5,
            "a ttl below a second becomes zero, which means for ever",
            BrokenStore.table(s -> BrokenTables.takesOddTtlsFor(s, Duration.ofDays(1)))));
  }

  private static List<BrokenStore> ofRenewalsAndReleases() {
    return List.of(
        new BrokenStore(
            "renewal-revives",
            6,
            "a renewal revives what has expired",
            BrokenStore.table(BrokenQueues::revives)),
        new BrokenStore(
            "renewal-of-anothers",
            6,
            "a renewal renews any holder of the name",
            BrokenStore.table(BrokenQueues::renewsAnothers)),
        new BrokenStore(
            "break-of-anothers",
            6,
            "a break breaks any holder of the name",
            BrokenStore.table(BrokenTables::breaksWhateverIsHeld)),
        new BrokenStore(
            "break-of-all-readers",
            6,
            "a break of one reader breaks all",
            BrokenStore.table(BrokenTables::breaksAllReaders)),
        new BrokenStore(
            "release-of-anothers",
            7,
            "a release frees any holder of the name",
            BrokenStore.table(BrokenTables::releasesWithoutOwnerCheck)),
        new BrokenStore(
            "release-by-client",
            8,
            "a release frees all that the client has under the name",
            BrokenStore.table(BrokenTables::releasesByClient)));
  }

  private static List<BrokenStore> ofWaiters() {
    return List.of(
        new BrokenStore(
            "ghost-waiter",
            9,
            "who gave up keeps its place in the queue",
            BrokenStore.table(BrokenQueues::keepsThePlaceOfWhoGaveUp)),
        new BrokenStore(
            "ghost-try",
            9,
            "a try that failed keeps its place in the queue",
            settings ->
                BrokenStore.table(BrokenQueues::keepsThePlaceOfAFailedTry).make(visible(settings))),
        new BrokenStore(
            "ghost-grant",
            9,
            "withdrawal is said to be final, and is not",
            BrokenStore.table(BrokenQueues::forgetsWhatWasWithdrawn)),
        new BrokenStore(
            "replay-after-reconnect",
            9,
            "a client that sends again what was refused, when it is connected again",
            BrokenStore.client(BrokenConnections::replaysAfterReconnect)),
        new BrokenStore(
            "permits-never-expire",
            10,
            "permits of the dead are never free",
            BrokenStore.table(s -> BrokenQueues.neverEnds(s, LockMode.PERMITS))),
        new BrokenStore(
            "read-locks-never-expire",
            10,
            "read locks of the dead are never free",
            BrokenStore.table(s -> BrokenQueues.neverEnds(s, LockMode.SHARED))),
        new BrokenStore(
            "no-wake-ups",
            11,
            "no waiter is woken",
            BrokenStore.table(s -> BrokenQueues.wakesAtMost(s, 0))),
        new BrokenStore(
            "one-wake-up",
            11,
            "one is woken where two may go on",
            BrokenStore.table(s -> BrokenQueues.wakesAtMost(s, 1))),
        new BrokenStore(
            "one-direct-grant",
            11,
            "what comes free is granted to the first in the queue, and what is left of it to none",
            settings ->
                BrokenStore.names(BrokenQueues::grantsToOneAtATime).make(granting(settings))),
        new BrokenStore(
            "watched-in-name-only",
            11,
            "a waiter is said to be watched, and is not",
            BrokenStore.store(BrokenConnections::saysThatItWatches)),
        new BrokenStore(
            "polls-in-vain",
            11,
            "who polls is told to wait on",
            BrokenStore.table(BrokenQueues::pollsInVain)),
        new BrokenStore(
            "place-not-kept",
            20,
            "a repeated attempt does not keep its place alive",
            BrokenStore.table(BrokenQueues::forgetsWhoAttemptsAgain)),
        new BrokenStore(
            "last-come-first-served",
            20,
            "fair waiters are served last come, first served",
            BrokenStore.names(BrokenQueues::servesTheLastFirst)),
        new BrokenStore(
            "served-places-kept",
            20,
            "those that were served along a run keep their places in the queue",
            BrokenStore.table(BrokenQueues::keepsThePlacesOfTheServed)),
        new BrokenStore(
            "run-reaches-over-others",
            20,
            "a run names fair waiters behind those of another client",
            BrokenStore.table(BrokenQueues::runsReachOverOthers)),
        new BrokenStore(
            "readers-pass-writers",
            20,
            "readers go past a writer that waits",
            BrokenStore.names(BrokenQueues::letsReadersPast)));
  }

  private static InMemorySettings visible(InMemorySettings settings) {
    return settings.withFeatures(
        Feature.FENCING, Feature.QUEUE, Feature.TOMBSTONES, Feature.VISIBLE_TRIES);
  }

  private static InMemorySettings granting(InMemorySettings settings) {
    return settings.withFeatures(
        Feature.FENCING, Feature.QUEUE, Feature.DIRECT_GRANT, Feature.TOMBSTONES);
  }

  private static List<BrokenStore> ofClients() {
    return List.of(
        new BrokenStore(
            "unknown-as-busy",
            12,
            "an unknown outcome is reported as busy",
            BrokenStore.client(BrokenConnections::takesUnknownForBusy)),
        new BrokenStore(
            "close-leaves-a-thread",
            14,
            "a thread of the connection goes on after its end",
            BrokenStore.store(BrokenConnections::leavesAThread)),
        new BrokenStore(
            "close-frees-by-prefix",
            14,
            "the end of a connection frees names that are merely like its own",
            BrokenStore.store(BrokenConnections::closesByPrefix)),
        new BrokenStore(
            "remaining-as-asked",
            17,
            "validity is the ttl asked for",
            BrokenStore.store(BrokenConnections::answersTheTtlAskedFor)));
  }

  /** Of a store whose entries live as long as their session. */
  private static List<BrokenStore> ofSessions() {
    return List.of(
        new BrokenStore(
            "yield-not-declared",
            17,
            "a renewal yields half of the ttl, and the store declares all of it",
            ofSession(BrokenTables::yieldsHalf)),
        new BrokenStore(
            "waiters-not-reported",
            20,
            "who waits is said to be reported, and is not",
            ofSession(BrokenTables::reportsNoWaiter)));
  }

  private static BrokenStore.Recipe ofSession(Function<InMemorySettings, LockTable> broken) {
    return settings ->
        BrokenStore.table(broken)
            .make(
                settings.withFeatures(
                    Feature.FENCING,
                    Feature.QUEUE,
                    Feature.NO_BARGING,
                    Feature.TOMBSTONES,
                    Feature.SESSIONS,
                    Feature.REPORTS_WANTED));
  }

  private static List<BrokenStore> ofNames() {
    return List.of(
        new BrokenStore(
            "names-truncated",
            13,
            "names are cut off",
            BrokenStore.oneName(n -> n.substring(0, Math.min(n.length(), 64)))),
        new BrokenStore(
            "names-hashed",
            13,
            "names are known by a weak hash",
            BrokenStore.oneName(n -> Integer.toHexString(n.hashCode()))),
        new BrokenStore(
            "names-folded",
            13,
            "names are compared without case",
            BrokenStore.oneName(n -> n.toLowerCase(Locale.ROOT))),
        new BrokenStore(
            "names-normalised",
            13,
            "names are normalised",
            BrokenStore.oneName(n -> Normalizer.normalize(n, Normalizer.Form.NFC))),
        new BrokenStore(
            "names-padded",
            13,
            "blanks at the end of a name do not count",
            BrokenStore.oneName(String::stripTrailing)));
  }
}
