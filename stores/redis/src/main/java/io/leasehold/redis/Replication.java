package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas must have a grant, so that it counts. That makes it less likely that a failover
 * forgets it, and no more: a replica that lacks it may be the one that is promoted.
 *
 * @param within how long the server waits for them
 * @param fsync whether they, and the primary, must have written it to disk
 */
record Replication(int replicas, Duration within, boolean fsync) {
  /** Of a URL. */
  static final Set<String> PARAMETERS = Set.of("replicas", "within", "fsync");

  private static final Duration LONGEST = Duration.ofSeconds(10);

  /**
   * As a URL says; empty if it does not.
   *
   * @throws IllegalArgumentException if what it says is malformed
   */
  static Optional<Replication> of(StoreUrl url) {
    Optional<String> replicas = url.parameter("replicas");
    if (replicas.isEmpty()) {
      if (url.parameter("within").isPresent() || url.parameter("fsync").isPresent()) {
        throw new IllegalArgumentException(
            "within and fsync of the store URL need replicas=NUMBER, of those that must have a"
                + " grant");
      }
      return Optional.empty();
    }
    if (!replicas.get().matches("[1-9]\\d?")) {
      throw new IllegalArgumentException("replicas of the store URL is not a number from 1 to 99");
    }
    Duration within = Durations.parse(url.parameter("within").orElse("100ms"));
    if (within.toMillis() < 1 || within.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("within of the store URL is not from 1ms to 10s");
    }
    String fsync = url.parameter("fsync").orElse("no");
    if (!Set.of("yes", "no").contains(fsync)) {
      throw new IllegalArgumentException("fsync of the store URL is neither yes nor no");
    }
    return Optional.of(
        new Replication(Integer.parseInt(replicas.get()), within, fsync.equals("yes")));
  }

  /** Asks how many have all that was sent before; in no more time than the request has. */
  Command ask(Duration request) {
    long most = request.toNanos() / 10 * 9;
    return ask(replicas, Math.max(1, Math.min(within.toNanos(), most) / 1_000_000));
  }

  private Command ask(int number, long millis) {
    return fsync
        ? Command.of(Name.WAITAOF, "1", "" + number, "" + millis)
        : Command.of(Name.WAIT, "" + number, "" + millis);
  }

  /**
   * Asks the server at once what it will be asked with each grant.
   *
   * @throws StoreException if it cannot answer that
   */
  void require(Wire wire, Duration opening) {
    Object answer =
        TimedJoin.ofOpening(wire.server(), wire.send(List.of(ask(0, 1)), opening), opening).get(0);
    if (answer instanceof ServerError error) {
      throw error.message().startsWith("ERR unknown command")
          ? new StoreException(
              Failure.REFUSED,
              wire.server() + " has no WAITAOF, which fsync=yes needs: Redis 7.2 and Valkey have",
              null)
          : error.asException(wire.server(), null);
    }
  }

  /**
   * What is thrown of a grant that too few have; empty if it counts, or there is none. The outcome
   * is called unknown: so it is asked about again, or withdrawn.
   */
  Optional<StoreException> missing(
      @Nullable Object reply, @Nullable Object answer, String server, @Nullable String name) {
    if (reply instanceof ServerError || !Replies.isGranted(reply)) {
      return Optional.empty();
    }
    boolean onDisk = true;
    Object replicated = answer;
    if (answer instanceof List<?> both) {
      onDisk = number(both.get(0)) > 0;
      replicated = both.get(1);
    }
    if (onDisk && number(replicated) >= replicas) {
      return Optional.empty();
    }
    String lack =
        answer instanceof ServerError error
            ? "it does not say how many replicas have that: " + error.message()
            : onDisk
                ? number(replicated) + " of " + replicas + " replicas had that"
                : "it had not written that to its own disk";
    return Optional.of(
        new StoreException(
            Failure.UNKNOWN_OUTCOME,
            server
                + " granted lock '"
                + name
                + "', but within "
                + within.toMillis()
                + " ms "
                + lack,
            null));
  }

  private static long number(@Nullable Object answer) {
    return answer instanceof Long number ? number : 0;
  }
}
