package io.leasehold;

import io.leasehold.internal.quorum.Quorums;
import io.leasehold.spi.StoreFactory;

/**
 * Makes one store of several independent ones: a majority of them decides, so locks work while a
 * minority is down. This is Redlock, over stores of any kind.
 *
 * <pre>{@code
 * StoreFactory quorum = Quorum.of(LettuceStores.using(a), LettuceStores.using(b), LettuceStores.using(c));
 * LockClient locks = Leasehold.builder(quorum).acceptUnfenced().build();
 * }</pre>
 *
 * <p>By URL: {@code quorum:redis://a,redis://b,redis://c}.
 *
 * <p>A lease is granted once a majority of the members has granted it, and lives as long as a
 * majority certainly keeps it. A majority is asked at the same time, on separate threads if their
 * clients block; the others follow within 3 ms, unless the lock is released by then. A member that
 * becomes slow, silent or unreachable delays only the attempts of such a moment. Opening succeeds
 * once a majority is open; the other members are opened in the background.
 *
 * <p>There are fencing tokens if every member takes the number that a client asks for, and forgets
 * none: {@code redis://} URLs of servers that write each lease to disk before they answer. There is
 * no order across processes, and there are no semaphores. A member that forgets what it has
 * granted, by a restart without persistence, can break the promise that there is one holder. The
 * members must be independent: two of them on one server are one.
 */
public final class Quorum {
  private Quorum() {}

  /**
   * A store over these members.
   *
   * @param members an odd number of at least 3, each of another server
   * @throws IllegalArgumentException if there are fewer, an even number, or the same one twice
   */
  public static StoreFactory of(StoreFactory... members) {
    return Quorums.of(members);
  }
}
