package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Agrees with all processes that use a prefix on the layout of its keys. The server has the version
 * in one key. Where there is none, keys of the first layout tell that processes are running which
 * know no other. Thread-safe.
 */
final class Settling {
  private static final Layout FIRST = Layout.NUMBERS;

  private final Node node;
  private final Keys keys;
  private final Clock clock;

  /** Whether the server has what these keys use. */
  private volatile boolean settled;

  Settling(Node node, Keys keys, Clock clock) {
    this.node = node;
    this.keys = keys;
    this.clock = clock;
  }

  /**
   * Settles when connecting. A server that cannot write now, or does not answer, is asked again by
   * each attempt.
   *
   * @throws StoreException if the layout is not known, or something else is refused
   */
  void open(Duration within) {
    try {
      Void unused = TimedJoin.ofOpening(node.wire().server(), settle(within), within);
    } catch (StoreException e) {
      if (e.failure() == Failure.REFUSED) {
        throw e;
      }
      Log.debug("the layout of the keys cannot be agreed on now", e);
    }
  }

  boolean isSettled() {
    return settled;
  }

  /**
   * Whether the server may have been emptied since, and another process have chosen the newest
   * layout. Who has that already is right, and need not ask.
   */
  boolean mayChange() {
    return keys.layout() != Layout.NEWEST;
  }

  /**
   * Uses the recorded layout, or records one.
   *
   * @return fails with {@link StoreException} if that cannot be done: {@code REFUSED} if the layout
   *     is not known
   */
  CompletionStage<Void> settle(Duration within) {
    long end = clock.nanos() + within.toNanos();
    return ask(Optional.empty(), within)
        .thenCompose(
            recorded ->
                recorded == null
                    ? choose(end).thenCompose(chosen -> record(chosen, end))
                    : CompletableFuture.completedFuture(recorded))
        .thenAccept(this::use);
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  private CompletionStage<@Nullable Object> ask(Optional<Layout> wanted, Duration within) {
    List<byte[]> version = wanted.map(each -> Command.digits(each.version())).stream().toList();
    return node.run(Script.LAYOUT, null, List.of(keys.ofLayout()), version, within);
  }

  /** What this process uses already goes on. */
  private CompletionStage<Layout> choose(long end) {
    if (settled) {
      return CompletableFuture.completedFuture(keys.layout());
    }
    return exists(keys.counters(FIRST), end)
        .thenApply(
            used -> {
              Layout chosen = used ? FIRST : Layout.NEWEST;
              // Also if it cannot be recorded: on a replica one may look
              keys.use(chosen);
              return chosen;
            });
  }

  private CompletionStage<Boolean> exists(List<byte[]> all, long end) {
    Collection<List<byte[]>> places =
        all.stream().collect(Collectors.groupingBy(node.wire()::place)).values();
    CompletionStage<Boolean> found = CompletableFuture.completedFuture(false);
    for (List<byte[]> some : places) {
      found =
          found.thenCompose(
              before ->
                  before
                      ? CompletableFuture.completedFuture(true)
                      : node.send(node.wire(), new Command(Name.EXISTS, some), null, left(end))
                          .thenApply(count -> !Long.valueOf(0).equals(count)));
    }
    return found;
  }

  /** Yields what counts: another process may have been faster. */
  private CompletionStage<@Nullable Object> record(Layout chosen, long end) {
    return ask(Optional.of(chosen), left(end));
  }

  private void use(@Nullable Object recorded) {
    String version = Command.text(Replies.bulk(recorded));
    Layout layout =
        Layout.of(version)
            .orElseThrow(
                () ->
                    new StoreException(
                        Failure.REFUSED,
                        "the keys with the prefix '"
                            + keys.prefix()
                            + "' have layout "
                            + version
                            + "; this version of Leasehold knows no layout after "
                            + Layout.NEWEST.version()
                            + ": update it, or choose another prefix",
                        null));
    keys.use(layout);
    settled = true;
  }
}
