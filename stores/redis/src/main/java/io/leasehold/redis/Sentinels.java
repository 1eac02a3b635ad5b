package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.redis.Connections.Following;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.KeyValue;

/**
 * Connects to the primary that Sentinels name, and follows it. A connection counts only if the
 * server says that it is a primary. Thread-safe.
 */
final class Sentinels implements Connections.Source {
  /** Of a URL, besides those of one server. */
  static final Set<String> PARAMETERS = Set.of("sentinel-user", "sentinel-password");

  /** On which a Sentinel tells that a primary has become another one. */
  private static final String SWITCH = "+switch-master";

  private static final Duration ANSWER = Duration.ofSeconds(2);

  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final List<Connections> sentinels;
  private final String name;
  private final Function<HostAndPort, Link> way;

  /** The word that counts: of those that were heard, that of the last failover. */
  private final AtomicReference<@Nullable Word> last = new AtomicReference<>();

  private final List<Consumer<String>> followers = new CopyOnWriteArrayList<>();

  /** So that followers hear last what counts. */
  private final ReentrantLock telling = new ReentrantLock();

  /**
   * What a Sentinel says.
   *
   * @param epoch of the failover that made it the primary: a Sentinel that has not heard of that
   *     names the one before, with a lower epoch
   */
  private record Word(HostAndPort primary, long epoch) {}

  /**
   * Of one primary.
   *
   * @param sentinels how to reach each
   * @param name what they call the primary
   * @param way connects to a server
   */
  Sentinels(List<Connections> sentinels, String name, Function<HostAndPort, Link> way) {
    this.sentinels = sentinels;
    this.name = name;
    this.way = way;
  }

  @Override
  public boolean isOneServer() {
    return false;
  }

  @Override
  public Link open() {
    Word told = askAny();
    Word counts = learn(told);
    tellFollowers();
    if (counts.equals(told)) {
      return primary(told.primary());
    }
    try {
      return primary(counts.primary());
    } catch (JedisException | StoreException e) {
      if (isNamed(counts)) {
        throw e;
      }
      // An administrator may have told the Sentinels to begin anew, with an epoch of 0
      Link there = primary(told.primary());
      last.set(told);
      tellFollowers();
      return there;
    }
  }

  /** The word of the first that answers. */
  private Word askAny() {
    List<StoreException> failed = new ArrayList<>();
    for (Connections sentinel : sentinels) {
      try {
        return ask(sentinel);
      } catch (StoreException e) {
        failed.add(e);
      }
    }
    // What is refused does not pass by itself
    StoreException worst =
        failed.stream()
            .filter(e -> e.failure() == Failure.REFUSED)
            .findFirst()
            .orElse(failed.get(0));
    throw new StoreException(
        worst.failure(),
        "none of its Sentinels names the primary '"
            + name
            + "': "
            + failed.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")),
        worst);
  }

  private Word ask(Connections sentinel) {
    Link link = sentinel.open();
    try {
      link.write(Command.of(Name.SENTINEL, "MASTER", name));
      link.write(Command.of(Name.SENTINEL, "GET-MASTER-ADDR-BY-NAME", name));
      Object values = link.read(ANSWER);
      Object address = link.read(ANSWER);
      for (Object answer : new Object[] {values, address}) {
        if (answer instanceof ServerError error) {
          throw refusal(sentinel, error);
        }
      }
      return word(Replies.list(values), Replies.list(address));
    } catch (JedisException e) {
      throw new StoreException(
          Failure.UNAVAILABLE, sentinel.server() + " did not answer: " + Reason.of(e), e);
    } finally {
      link.end();
    }
  }

  /** Whether any of the Sentinels still says so. */
  private boolean isNamed(Word word) {
    for (Connections sentinel : sentinels) {
      try {
        if (ask(sentinel).equals(word)) {
          return true;
        }
      } catch (StoreException e) {
        Log.debug("a Sentinel did not say where the primary is", e);
      }
    }
    return false;
  }

  private StoreException refusal(Connections sentinel, ServerError error) {
    return error.message().contains("No such master")
        ? new StoreException(
            Failure.REFUSED,
            sentinel.server() + " knows no primary '" + name + "'; correct the store URL",
            null)
        : error.asException(sentinel.server(), null);
  }

  /**
   * Of names and values in turn, and of an address that was asked for after them: while a Sentinel
   * turns the other replicas to the new primary, the values have the address of the old one, with
   * the epoch of the new one.
   */
  private static Word word(List<?> values, List<?> address) {
    Map<String, String> fields = new HashMap<>();
    if (values.get(0) instanceof KeyValue) {
      // By RESP3, which an application may have chosen
      values.stream()
          .map(KeyValue.class::cast)
          .forEach(each -> fields.put(Command.text(each.getKey()), Command.text(each.getValue())));
    } else {
      for (int i = 0; i + 1 < values.size(); i += 2) {
        fields.put(Command.text(values.get(i)), Command.text(values.get(i + 1)));
      }
    }
    return new Word(
        new HostAndPort(
            Command.text(Replies.bulk(address.get(0))),
            Integer.parseInt(Command.text(Replies.bulk(address.get(1))))),
        Long.parseLong(fields.getOrDefault("config-epoch", "0")));
  }

  /** Yields the word that counts now. */
  private Word learn(Word told) {
    Word before = last.get();
    while (before == null || before.epoch() < told.epoch()) {
      if (last.compareAndSet(before, told)) {
        return told;
      }
      before = last.get();
    }
    return before;
  }

  /** Those that read an older word meanwhile wait, and then tell the newest. */
  private void tellFollowers() {
    telling.lock();
    try {
      Word counts = last.get();
      if (counts != null) {
        followers.forEach(each -> each.accept(counts.primary().toString()));
      }
    } finally {
      telling.unlock();
    }
  }

  private Link primary(HostAndPort where) {
    String namedBy = "its Sentinels name as the primary '" + name + "'";
    return Primary.require(way.apply(where), "Redis at " + where, namedBy)
        .leadingTo(where.toString());
  }

  @Override
  public Following follow(Threads threads, Clock clock, Consumer<String> place) {
    followers.add(place);
    List<JedisListening> listenings = new ArrayList<>();
    for (Connections sentinel : sentinels) {
      Runnable check = () -> check(sentinel);
      JedisListening listening = new JedisListening(sentinel, threads, clock);
      Wire.Listening toSwitches =
          listening.listen(
              SWITCH,
              message -> {
                if (Command.text(message).startsWith(name + " ")) {
                  threads.background(check);
                }
              },
              check);
      listenings.add(listening);
      threads.background(() -> listen(threads, toSwitches, check));
    }
    return () -> {
      followers.remove(place);
      listenings.forEach(JedisListening::close);
    };
  }

  /** Until it listens; then it was told of nothing before. */
  private static void listen(Threads threads, Wire.Listening listening, Runnable check) {
    CompletionStage<Void> unused =
        listening
            .established()
            .handle(
                (connection, failed) -> {
                  if (failed == null) {
                    check.run();
                  } else {
                    threads.schedule(
                        () -> threads.background(() -> listen(threads, listening, check)),
                        AGAIN.toNanos());
                  }
                  return null;
                });
  }

  private void check(Connections sentinel) {
    try {
      Word unused = learn(ask(sentinel));
      tellFollowers();
    } catch (StoreException e) {
      // The next connection asks all of them
      Log.debug("a Sentinel did not say where the primary is", e);
    }
  }
}
