package io.leasehold.memcached;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheStatus;
import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.LockNames;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases as items of one memcached server: one a name, written by {@code add} and changed by {@code
 * cas}. Beside it a client that waits leaves a mark, a hint that ends by itself. Thread-safe.
 */
final class MemcachedStore implements LockStore {
  /** An item may live a second less than given, or two if the server's clock skips one. */
  private static final int EXTRA_SECONDS = 2;

  private static final int MARK_SECONDS = 3;
  private static final long MARK_AGAIN_NANOS = 1_000_000_000;

  private static final Traits TRAITS =
      new Traits(
          "memcached",
          Set.of(),
          Set.of(LockMode.EXCLUSIVE),
          Duration.ofSeconds(1),
          // From 30 days on it would be a date
          Duration.ofDays(30).minusSeconds(EXTRA_SECONDS + 1),
          Duration.ofSeconds(1),
          new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE),
          // The extra, and a tick of the server's clock that comes late
          new Traits.Life(Traits.Ends.TTL, 100, ttl -> Duration.ofSeconds(EXTRA_SECONDS + 1)),
          Traits.Wanted.ON_RENEWAL,
          Traits.Calls.NON_BLOCKING);

  private final Connection connection;
  private final String prefix;
  private final Clock clock;

  /** The state of leases that were not renewed, so that one request releases them. */
  private final Map<LeaseId, Seen> known = new ConcurrentHashMap<>();

  /** The tickets that wait, and when each left its mark. */
  private final Map<LeaseId, Long> waiting = new ConcurrentHashMap<>();

  /**
   * What stands under the two keys of a name.
   *
   * @param server over which it was read: on another, another item may have the same cas number
   * @param item null if there is none of a lock with this name
   * @param waiter the client that left a mark last; empty if none is there
   */
  private record Seen(
      AsciiMemcacheClient<String> server,
      boolean isFree,
      @Nullable Item item,
      long cas,
      String waiter) {
    /** The item if this ticket has the lease. */
    @Nullable Item itemOf(Ticket ticket) {
      return item != null && item.id().equals(ticket.id()) ? item : null;
    }

    boolean isWantedBeside(Ticket ticket) {
      return !waiter.isEmpty() && !waiter.equals(client(ticket));
    }
  }

  private MemcachedStore(Connection connection, String prefix, Clock clock) {
    this.connection = connection;
    this.prefix = prefix;
    this.clock = clock;
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the server cannot be reached, or refuses
   */
  static LockStore open(ServerUrl server, String prefix, Clock clock, StoreListener listener) {
    MemcachedStore store = new MemcachedStore(new Connection(server, clock), prefix, clock);
    Duration within = Duration.ofSeconds(10);
    try {
      TimedJoin.ofOpening("memcached at " + server, store.diagnose(within), within)
          .forEach(listener::found);
      return store;
    } catch (StoreException e) {
      store.close();
      throw e;
    }
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  private static String client(Ticket ticket) {
    return Long.toHexString(ticket.id().client());
  }

  /** A hash: a name may be longer than a key, and have line ends in it. */
  static String key(String prefix, String name) {
    return prefix + HexFormat.of().formatHex(LockNames.sha256(name));
  }

  private String key(String name) {
    return key(prefix, name);
  }

  private static int seconds(Duration ttl) {
    return Math.toIntExact(ttl.plusNanos(999_999_999).toSeconds()) + EXTRA_SECONDS;
  }

  /** In the order of the tickets. */
  private CompletionStage<List<Seen>> look(
      AsciiMemcacheClient<String> server, Collection<Ticket> tickets) {
    List<String> keys =
        tickets.stream().map(t -> key(t.name())).flatMap(k -> Stream.of(k, k + "w")).toList();
    return server
        .casGet(keys)
        .thenApply(
            values -> {
              List<Seen> seen = new ArrayList<>();
              for (Ticket ticket : tickets) {
                GetResult<String> lock = values.get(2 * seen.size());
                GetResult<String> mark = values.get(2 * seen.size() + 1);
                Item item = lock == null ? null : Item.parse(lock.getValue(), ticket.name());
                long cas = lock == null ? 0 : lock.getCas();
                String waiter = mark == null ? "" : mark.getValue();
                seen.add(new Seen(server, lock == null, item, cas, waiter));
              }
              return seen;
            });
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return connection.use(
        within,
        server -> {
          // Sent together: the second tells who has it, also after a lost reply
          String text = Item.of(ticket, clock).text();
          CompletionStage<MemcacheStatus> added =
              server.add(key(ticket.name()), text, seconds(ticket.ttl()));
          return look(server, List.of(ticket))
              .thenCombine(added, (seen, status) -> answer(ticket, seen.get(0), status));
        });
  }

  private Attempt answer(Ticket ticket, Seen seen, MemcacheStatus status) {
    Item mine = seen.itemOf(ticket);
    if (mine != null) {
      waiting.remove(ticket.id());
      known.put(ticket.id(), seen);
      Duration left = status == MemcacheStatus.OK ? ticket.ttl() : mine.left(clock);
      return new Attempt.Granted(0, left, seen.isWantedBeside(ticket));
    }
    if (status != MemcacheStatus.OK && status != MemcacheStatus.ITEM_NOT_STORED) {
      throw failure(Failure.UNAVAILABLE, ticket, "it was not stored, " + status);
    }
    if (seen.item() == null && !seen.isFree()) {
      throw failure(Failure.REFUSED, ticket, "its key holds something else; choose another prefix");
    }
    if (ticket.intent() == Ticket.Intent.QUEUE) {
      waiting.putIfAbsent(ticket.id(), clock.nanos() - MARK_AGAIN_NANOS);
      mark(ticket, seen.server());
    }
    return new Attempt.Busy(Duration.ZERO, seen.item() == null ? "" : seen.item().holder());
  }

  private static StoreException failure(Failure failure, Ticket ticket, String what) {
    return new StoreException(failure, "lock '" + ticket.name() + "' in memcached: " + what, null);
  }

  /** Tells the holder that this ticket waits, unless it did so just now. */
  private void mark(Ticket ticket, AsciiMemcacheClient<String> server) {
    long now = clock.nanos();
    Long last = waiting.get(ticket.id());
    if (last != null && now - last >= MARK_AGAIN_NANOS && waiting.replace(ticket.id(), last, now)) {
      CompletionStage<?> unused =
          server.set(key(ticket.name()) + "w", client(ticket), MARK_SECONDS);
    }
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> all = List.copyOf(tickets);
    CompletionStage<List<Seen>> looked = connection.use(within, server -> look(server, all));
    for (int i = 0; i < all.size(); i++) {
      int index = i;
      Ticket ticket = all.get(i);
      CompletionStage<?> unused =
          looked
              .thenCompose(seen -> renew(ticket, seen.get(index)))
              .whenComplete(
                  (answer, failed) ->
                      each.accept(
                          ticket.id(), failed == null ? answer : new Renewal.Unknown(failed)));
    }
  }

  private CompletionStage<Renewal> renew(Ticket ticket, Seen seen) {
    Item mine = seen.itemOf(ticket);
    if (waiting.containsKey(ticket.id())) {
      boolean mayTry = mine != null || seen.item() == null;
      if (!mayTry) {
        mark(ticket, seen.server());
      }
      return CompletableFuture.completedFuture(
          mayTry ? new Renewal.AttemptNow() : new Renewal.Waiting());
    }
    if (mine == null) {
      return CompletableFuture.completedFuture(new Renewal.Gone());
    }
    known.remove(ticket.id());
    Duration left = mine.left(clock);
    Duration life = left.compareTo(ticket.ttl()) > 0 ? left : ticket.ttl();
    return seen.server()
        .set(key(ticket.name()), mine.renewed(life, clock).text(), seconds(life), seen.cas())
        .thenApply(
            status ->
                switch (status) {
                  case OK -> new Renewal.Renewed(life, seen.isWantedBeside(ticket));
                  case KEY_NOT_FOUND -> new Renewal.Gone();
                  default ->
                      new Renewal.Unknown(failure(Failure.UNAVAILABLE, ticket, status.name()));
                });
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    Seen last = known.remove(ticket.id());
    waiting.remove(ticket.id());
    return connection.use(within, server -> release(ticket, server, last));
  }

  /** By {@code cas} with a negative life, which deletes at once. */
  private CompletionStage<Release> release(
      Ticket ticket, AsciiMemcacheClient<String> server, @Nullable Seen seen) {
    if (seen == null || !seen.server().equals(server)) {
      return look(server, List.of(ticket))
          .thenCompose(
              found ->
                  found.get(0).itemOf(ticket) == null
                      ? CompletableFuture.completedFuture(Release.NOT_HELD)
                      : release(ticket, server, found.get(0)));
    }
    return server
        .delete(key(ticket.name()), seen.cas())
        .thenCompose(
            status ->
                status == MemcacheStatus.OK
                    ? CompletableFuture.completedFuture(Release.RELEASED)
                    : release(ticket, server, null));
  }

  /** Never final: the server keeps no id, and an attempt may be under way after its connection. */
  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return release(ticket, within).thenApply(released -> false);
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return connection.use(within, ServerDiagnosis::ask);
  }

  @Override
  public void close() {
    connection.close();
  }
}
