package io.leasehold.testkit;

import io.leasehold.LockMode;
import io.leasehold.internal.SystemClock;
import io.leasehold.internal.Threads;
import io.leasehold.spi.StoreFactory;
import io.leasehold.testkit.contract.StoreFixture;
import java.text.Normalizer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Stores that are wrong in one thing each, as stores and the libraries before them have been. The
 * contract must fail each of them by the tests of one rule, and pass it by all others: so it is
 * known to look.
 */
public enum BrokenStores {
  /** Every lease counts as one permit. */
  PERMITS_COUNTED_AS_LEASES(1, names(BrokenQueues::countsLeasesNotPermits)),
  /** What is left of the permits is taken before the rest is there. */
  PERMITS_GRANTED_IN_PARTS(1, table(BrokenTables::grantsPermitsInParts)),
  /** Two sizes of one semaphore at a time. */
  SIZE_NOT_BOUND(1, names(BrokenQueues::doesNotBindTheSize)),
  /** A lock and a semaphore on one name are merely busy for each other. */
  KINDS_MIXED(1, names(BrokenQueues::mixesKinds)),
  /** A try waits for the holder. */
  TRY_WAITS(2, store(BrokenConnections::triesWait)),
  /** A repeated attempt renews the lease. */
  REPEAT_EXTENDS(3, table(BrokenTables::repeatsExtend)),
  /** A repeated attempt has another number. */
  REPEAT_MINTS(3, table(BrokenTables::repeatsMintAgain)),
  /** The number of an expired lease is given again. */
  TOKEN_REUSED_AFTER_EXPIRY(4, table(BrokenTables::reusesTheTokenOfWhatExpired)),
  /** The numbers of a name begin again when it was idle. */
  TOKEN_RESTARTS(4, table(BrokenTables::restartsTokensOfIdleNames)),
  /** The number of a broken lease is given again. */
  TOKEN_REUSED_AFTER_BREAK(4, table(BrokenTables::reusesTheTokenOfWhatWasBroken)),
  /** Readers have the number of the writer before them. */
  TOKEN_SHARED_WITH_WRITER(4, table(BrokenTables::givesReadersNoTokenOfTheirOwn)),
  /** A ttl below a second becomes zero. */
  TTL_ZERO(5, table(s -> BrokenTables.takesOddTtlsFor(s, Duration.ZERO))),
  /** A ttl below a second becomes zero, which means for ever. */
  TTL_INFINITE(5, table(s -> BrokenTables.takesOddTtlsFor(s, Duration.ofDays(1)))),
  /** A renewal revives what has expired. */
  RENEWAL_REVIVES(6, table(BrokenQueues::revives)),
  /** A renewal renews whoever holds the name. */
  RENEWAL_OF_ANOTHERS(6, table(BrokenQueues::renewsAnothers)),
  /** A break breaks whoever holds the name. */
  BREAK_OF_ANOTHERS(6, table(BrokenTables::breaksWhateverIsHeld)),
  /** A break of one reader breaks all. */
  BREAK_OF_ALL_READERS(6, table(BrokenTables::breaksAllReaders)),
  /** A release frees whoever holds the name. */
  RELEASE_OF_ANOTHERS(7, table(BrokenTables::releasesWithoutOwnerCheck)),
  /** A release frees all that the client has under the name. */
  RELEASE_BY_CLIENT(8, table(BrokenTables::releasesByClient)),
  /** Who gave up keeps its place in the queue. */
  GHOST_WAITER(9, table(BrokenQueues::keepsThePlaceOfWhoGaveUp)),
  /** Withdrawal is said to be final, and is not. */
  GHOST_GRANT(9, table(BrokenQueues::forgetsWhatWasWithdrawn)),
  /** A client that sends again what was refused, when it is connected again. */
  REPLAY_AFTER_RECONNECT(9, client(BrokenConnections::replaysAfterReconnect)),
  /** Permits of the dead are never free. */
  PERMITS_NEVER_EXPIRE(10, table(s -> BrokenQueues.neverEnds(s, LockMode.PERMITS))),
  /** Read locks of the dead are never free. */
  READ_LOCKS_NEVER_EXPIRE(10, table(s -> BrokenQueues.neverEnds(s, LockMode.SHARED))),
  /** Nobody is woken. */
  NO_WAKE_UPS(11, table(s -> BrokenQueues.wakesAtMost(s, 0))),
  /** One is woken where two may go on. */
  ONE_WAKE_UP(11, table(s -> BrokenQueues.wakesAtMost(s, 1))),
  /** Who polls is told to wait on. */
  POLLS_IN_VAIN(11, table(BrokenQueues::pollsInVain)),
  /** An unknown outcome is reported as busy. */
  UNKNOWN_AS_BUSY(12, client(BrokenConnections::takesUnknownForBusy)),
  /** Names are cut off. */
  NAMES_TRUNCATED(13, oneName(n -> n.substring(0, Math.min(n.length(), 64)))),
  /** Names are known by a weak hash. */
  NAMES_HASHED(13, oneName(n -> Integer.toHexString(n.hashCode()))),
  /** Names are compared without case. */
  NAMES_FOLDED(13, oneName(n -> n.toLowerCase(Locale.ROOT))),
  /** Names are normalised. */
  NAMES_NORMALISED(13, oneName(n -> Normalizer.normalize(n, Normalizer.Form.NFC))),
  /** Blanks at the end of a name do not count. */
  NAMES_PADDED(13, oneName(String::stripTrailing)),
  /** A thread of the connection goes on after its end. */
  CLOSE_LEAVES_A_THREAD(14, store(BrokenConnections::leavesAThread)),
  /** The end of a connection frees names that are merely like its own. */
  CLOSE_FREES_BY_PREFIX(14, store(BrokenConnections::closesByPrefix)),
  /** Validity is the ttl asked for. */
  REMAINING_AS_ASKED(17, store(BrokenConnections::answersTheTtlAskedFor)),
  /** Fair waiters are served last come, first served. */
  LAST_COME_FIRST_SERVED(20, names(BrokenQueues::servesTheLastFirst)),
  /** Readers go past a writer that waits. */
  READERS_PASS_WRITERS(20, names(BrokenQueues::letsReadersPast));

  private interface Recipe {
    StoreFixture make(InMemorySettings settings);
  }

  private final int rule;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Recipe recipe;

  BrokenStores(int rule, Recipe recipe) {
    this.rule = rule;
    this.recipe = recipe;
  }

  /** The number of the promise that it breaks. */
  public int rule() {
    return rule;
  }

  /** A new one, as the contract sees it. */
  public StoreFixture fixture() {
    return recipe.make(InMemorySettings.defaults());
  }

  private static InMemoryServer server(InMemorySettings settings, LockTable table) {
    return new InMemoryServer(settings, new SystemClock(), new Threads()::callback, table);
  }

  private static Recipe table(Function<InMemorySettings, LockTable> broken) {
    return settings -> new StoreFixture(server(settings, broken.apply(settings)));
  }

  private static Recipe names(BrokenQueues.NameRule broken) {
    return table(settings -> BrokenQueues.withNames(settings, broken));
  }

  private static Recipe store(Function<InMemoryServer, StoreFactory> broken) {
    return settings -> new StoreFixture(broken.apply(new InMemoryServer(settings)));
  }

  private static Recipe client(UnaryOperator<StoreFactory> broken) {
    return settings -> new StoreFixture(new InMemoryServer(settings), broken);
  }

  private static Recipe oneName(UnaryOperator<String> text) {
    return store(server -> BrokenConnections.takesForOne(server, text));
  }
}
