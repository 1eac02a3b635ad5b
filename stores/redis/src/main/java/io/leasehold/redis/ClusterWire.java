package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Sends each request to the node of a cluster that serves its keys, over one wire to each node: one
 * that fails harms no other. A node that does not serve the keys did nothing and says which does,
 * so asking that one is no repetition.
 */
final class ClusterWire implements Wire {
  private static final int MOST_REDIRECTIONS = 5;

  private static final Command ASKING = Command.of(Name.ASKING);

  private final List<HostAndPort> seeds;
  private final Function<HostAndPort, Link> way;
  private final Clock clock;

  /** As many as a wire sends together. */
  private final Threads threads = new Threads(64);

  private final Map<HostAndPort, JedisWire> wires = new ConcurrentHashMap<>();

  private final SlotMap slots;
  private final ClusterListening listening;

  /** To channels that are not of a bucket. */
  private final JedisListening anywhere;

  private final TakeOvers takeOvers = new TakeOvers(threads);
  private volatile Runnable told = () -> {};

  /**
   * Not connected yet.
   *
   * @param seeds some of the nodes
   * @param way connects to a node
   */
  ClusterWire(List<HostAndPort> seeds, Function<HostAndPort, Link> way, Clock clock) {
    this.seeds = seeds;
    this.way = way;
    this.clock = clock;
    this.slots = new SlotMap(server(), seeds, this::wire, threads, this::moved);
    this.listening = new ClusterListening(slots, way, clock);
    this.anywhere = new JedisListening(new Connections(server(), this::openAny), threads, clock);
  }

  private void moved(int slot) {
    takeOvers.happened();
    listening.moved(slot);
  }

  @Override
  public String server() {
    return "the Redis cluster at "
        + seeds.stream().map(HostAndPort::toString).collect(Collectors.joining(","));
  }

  @Override
  public Calls calls() {
    return Calls.BLOCKING;
  }

  @Override
  public int place(byte[] key) {
    return JedisClusterCRC16.getSlot(key);
  }

  @Override
  public void apart(Runnable work) {
    threads.request(work);
  }

  @Override
  public Collection<Wire> nodes() {
    return slots.primaries().stream().map(this::wire).collect(Collectors.toList());
  }

  private JedisWire wire(HostAndPort where) {
    return wires.computeIfAbsent(
        where,
        there -> {
          Connections connections = new Connections("Redis at " + there, () -> way.apply(there));
          JedisWire made = new JedisWire(connections, clock);
          made.onReconnect(() -> told.run());
          return made;
        });
  }

  // ---- sending

  @Override
  public CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    long end = clock.nanos() + within.toNanos();
    Optional<byte[]> key = commands.stream().flatMap(each -> each.key().stream()).findFirst();
    if (key.isEmpty()) {
      return sendToEach(commands, end);
    }
    int slot = place(key.get());
    if (slots.owner(slot) == null) {
      slots.learn();
    }
    HostAndPort owner = slots.owner(slot);
    return owner == null
        ? CompletableFuture.failedFuture(
            new StoreException(
                Failure.UNAVAILABLE, "no node of " + server() + " serves slot " + slot, null))
        : sendTo(owner, commands, commands, end, MOST_REDIRECTIONS);
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  /**
   * Sends to a node.
   *
   * @param sent what it is sent, which may be more than was wanted
   */
  private CompletionStage<List<Object>> sendTo(
      HostAndPort where, List<Command> wanted, List<Command> sent, long end, int redirections) {
    return wire(where)
        .send(sent, left(end))
        .whenComplete(
            (answers, failed) -> {
              if (failed != null) {
                slots.learnSoon();
              }
            })
        .thenCompose(
            answers -> {
              Optional<ServerError> elsewhere =
                  answers.stream()
                      .filter(ServerError.class::isInstance)
                      .map(ServerError.class::cast)
                      .filter(ServerError::isOfAnotherNode)
                      .findFirst();
              if (elsewhere.isPresent()) {
                return redirected(elsewhere.get(), where, wanted, end, redirections);
              }
              if (answers.stream().anyMatch(ClusterWire::isOfClusterDown)) {
                slots.learnSoon();
              }
              return CompletableFuture.completedFuture(withoutAsking(sent, answers));
            });
  }

  private static boolean isOfClusterDown(@Nullable Object answer) {
    return answer instanceof ServerError error && error.code().equals("CLUSTERDOWN");
  }

  private CompletionStage<List<Object>> redirected(
      ServerError error, HostAndPort from, List<Command> wanted, long end, int redirections) {
    HostAndPort to = slots.redirected(error, from);
    if (redirections == 0) {
      return CompletableFuture.failedFuture(
          new StoreException(
              Failure.UNAVAILABLE,
              "the nodes of " + server() + " do not agree on who serves slot " + error.slot(),
              null));
    }
    return sendTo(to, wanted, error.isMoved() ? wanted : asking(wanted), end, redirections - 1);
  }

  /** Each that has keys is announced. */
  private static List<Command> asking(List<Command> wanted) {
    List<Command> all = new ArrayList<>();
    for (Command each : wanted) {
      if (each.key().isPresent()) {
        all.add(ASKING);
      }
      all.add(each);
    }
    return all;
  }

  private static List<Object> withoutAsking(List<Command> sent, List<Object> answers) {
    if (!sent.contains(ASKING)) {
      return answers;
    }
    List<Object> wanted = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      if (!sent.get(i).equals(ASKING)) {
        wanted.add(answers.get(i));
      }
    }
    return wanted;
  }

  /** At once; the answers of the first that answers, but errors of any other. */
  private CompletionStage<List<Object>> sendToEach(List<Command> commands, long end) {
    if (slots.primaries().isEmpty()) {
      slots.learn();
    }
    List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
    // Less, so that one that is silent does not stop the others from being heard
    Duration within = left(end).dividedBy(2);
    for (Wire node : nodes()) {
      answers.add(
          CompletableFuture.supplyAsync(() -> node.send(commands, within), threads::request)
              .thenCompose(Function.identity()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .handle((done, failed) -> combined(answers))
        .thenCompose(Function.identity());
  }

  private CompletionStage<List<Object>> combined(List<CompletableFuture<List<Object>>> answers) {
    List<List<Object>> given =
        answers.stream()
            .filter(each -> !each.isCompletedExceptionally())
            .map(CompletableFuture::join)
            .toList();
    if (given.isEmpty()) {
      return answers.isEmpty()
          ? CompletableFuture.failedFuture(
              new StoreException(Failure.UNAVAILABLE, "no node of " + server() + " is known", null))
          : answers.get(0);
    }
    List<Object> all = new ArrayList<>(given.get(0));
    for (List<Object> other : given) {
      for (int i = 0; i < all.size(); i++) {
        if (other.get(i) instanceof ServerError) {
          all.set(i, other.get(i));
        }
      }
    }
    return CompletableFuture.completedFuture(all);
  }

  // ---- the rest

  @Override
  public void onTakeOver(Supplier<? extends CompletionStage<?>> newTold) {
    takeOvers.onTakeOver(newTold);
  }

  @Override
  public void onReconnect(Runnable newTold) {
    told = newTold;
  }

  /** That of a bucket where the bucket is; others on any node: a message goes to all of them. */
  @Override
  public Listening listen(String channel, Consumer<byte[]> message, Runnable again) {
    return Keys.isOfBucket(channel)
        ? listening.listen(server(), channel, message, again)
        : anywhere.listen(channel, message, again);
  }

  private Link openAny() {
    JedisException last = null;
    for (HostAndPort node : slots.inTurn()) {
      try {
        return way.apply(node);
      } catch (JedisConnectionException e) {
        last = e;
      }
    }
    throw Objects.requireNonNull(last);
  }

  @Override
  public void close() {
    listening.close();
    anywhere.close();
    wires.values().forEach(JedisWire::close);
    threads.close();
  }
}
