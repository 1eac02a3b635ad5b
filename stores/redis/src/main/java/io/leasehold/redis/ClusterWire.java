package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
  private static final int SLOTS = 16_384;

  private static final int MOST_REDIRECTIONS = 5;

  private static final Command NODES = Command.of(Name.CLUSTER, "SLOTS");

  private static final Command ASKING = Command.of(Name.ASKING);

  /** How long one node may take to say who serves what. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  /** The nodes are not asked more often than so after something failed. */
  private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();

  private final List<HostAndPort> seeds;
  private final Function<HostAndPort, Link> way;
  private final Clock clock;

  /** As many as a wire sends together. */
  private final Threads threads = new Threads(64);

  private final Map<HostAndPort, JedisWire> wires = new ConcurrentHashMap<>();

  /** Who serves which slot, as far as is known. */
  private final AtomicReferenceArray<@Nullable HostAndPort> owners =
      new AtomicReferenceArray<>(SLOTS);

  private final List<JedisListening> listenings = new CopyOnWriteArrayList<>();
  private final TakeOvers takeOvers = new TakeOvers(threads);
  private final AtomicBoolean learning = new AtomicBoolean();
  private volatile Runnable told = () -> {};
  private volatile boolean closed;

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
    return primaries().stream().map(this::wire).collect(Collectors.toList());
  }

  /** Those that are known to serve something. */
  private Set<HostAndPort> primaries() {
    Set<HostAndPort> all = new LinkedHashSet<>();
    for (int slot = 0; slot < SLOTS; slot++) {
      HostAndPort owner = owners.get(slot);
      if (owner != null) {
        all.add(owner);
      }
    }
    return all;
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
    if (owners.get(slot) == null) {
      learn();
    }
    HostAndPort owner = owners.get(slot);
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
                learnSoon();
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
                learnSoon();
              }
              return CompletableFuture.completedFuture(withoutAsking(sent, answers));
            });
  }

  private static boolean isOfClusterDown(@Nullable Object answer) {
    return answer instanceof ServerError error && error.code().equals("CLUSTERDOWN");
  }

  private CompletionStage<List<Object>> redirected(
      ServerError error, HostAndPort from, List<Command> wanted, long end, int redirections) {
    // As in MOVED 3999 127.0.0.1:6381; without a host it is that of the node that was asked
    String[] words = error.message().split(" ", -1);
    HostAndPort to = HostAndPort.from(words[2]);
    if (to.getHost().isEmpty()) {
      to = new HostAndPort(from.getHost(), to.getPort());
    }
    boolean moved = error.code().equals("MOVED");
    if (moved) {
      serves(Integer.parseInt(words[1]), to);
      learnSoon();
    }
    if (redirections == 0) {
      return CompletableFuture.failedFuture(
          new StoreException(
              Failure.UNAVAILABLE,
              "the nodes of " + server() + " do not agree on who serves slot " + words[1],
              null));
    }
    return sendTo(to, wanted, moved ? wanted : asking(wanted), end, redirections - 1);
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
    if (primaries().isEmpty()) {
      learn();
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

  // ---- who serves what

  private void learnSoon() {
    if (!closed && learning.compareAndSet(false, true)) {
      threads.schedule(
          () ->
              threads.background(
                  () -> {
                    learning.set(false);
                    try {
                      learn();
                    } catch (StoreException e) {
                      Log.debug("no node of the cluster said who serves what", e);
                    }
                  }),
          PAUSE_NANOS);
    }
  }

  /**
   * Asks until one node answers.
   *
   * @throws StoreException if none does, or one refuses
   */
  private void learn() {
    StoreException last = null;
    for (HostAndPort node : inTurn()) {
      try {
        learn(node);
        return;
      } catch (StoreException e) {
        last = e;
        if (e.failure() == Failure.REFUSED) {
          break;
        }
      }
    }
    throw new StoreException(
        last == null ? Failure.UNAVAILABLE : last.failure(),
        "no node of "
            + server()
            + " says who serves what"
            + (last == null ? "" : ": " + last.getMessage()),
        last);
  }

  /** All that are known, drawn by lot: one that is cut off must not always be the first. */
  private List<HostAndPort> inTurn() {
    Set<HostAndPort> all = new LinkedHashSet<>(primaries());
    all.addAll(seeds);
    List<HostAndPort> inTurn = new ArrayList<>(all);
    Collections.shuffle(inTurn, ThreadLocalRandom.current());
    return inTurn;
  }

  private void learn(HostAndPort node) {
    Object answer =
        TimedJoin.ofOpening(server(), wire(node).send(List.of(NODES), ANSWER), ANSWER).get(0);
    if (answer instanceof ServerError error) {
      throw error.asException("Redis at " + node, null);
    }
    // Ranges, each of: the first slot, the last, and its nodes, the primary first: host, port, ...
    for (Object range : Replies.list(answer)) {
      List<?> parts = Replies.list(range);
      List<?> primary = Replies.list(parts.get(2));
      String host = primary.get(0) instanceof byte[] text ? Command.text(text) : "";
      long port = (Long) primary.get(1);
      HostAndPort owner = new HostAndPort(host.isEmpty() ? node.getHost() : host, (int) port);
      for (long slot = (Long) parts.get(0); slot <= (Long) parts.get(1); slot++) {
        serves((int) slot, owner);
      }
    }
  }

  private void serves(int slot, HostAndPort node) {
    HostAndPort before = owners.getAndSet(slot, node);
    if (before != null && !before.equals(node)) {
      takeOvers.happened();
    }
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

  /** On any node: a message goes to all of them. */
  @Override
  public Listening listen(String channel, Consumer<byte[]> message, Runnable again) {
    Connections any = new Connections(server(), this::openAny);
    JedisListening made = new JedisListening(any, threads, clock, channel, message, again);
    listenings.add(made);
    return made;
  }

  private Link openAny() {
    JedisException last = null;
    for (HostAndPort node : inTurn()) {
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
    closed = true;
    listenings.forEach(JedisListening::close);
    wires.values().forEach(JedisWire::close);
    threads.close();
  }
}
