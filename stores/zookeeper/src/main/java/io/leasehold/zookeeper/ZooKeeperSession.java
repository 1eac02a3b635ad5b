package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.Failures;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.zookeeper.Wire.Data;
import io.leasehold.zookeeper.Wire.Made;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The entries of one ZooKeeper session, which are ephemeral nodes. Thread-safe. */
final class ZooKeeperSession implements Session {
  private static final byte[] NO_DATA = {};
  private static final int MOST_TRIES = 3;

  /** How many nodes are read in one request. */
  static final int MOST_TOGETHER = 250;

  private final Wire wire;
  private final Tree tree;
  private final Duration ttl;
  private final Supplier<CompletionStage<?>> close;

  /** The node to which beats are written. */
  private final String beats;

  /** Those for which a request was sent that may make an entry, and whose outcome is not known. */
  private final Map<LeaseId, Ticket> doubted = new ConcurrentHashMap<>();

  private final Set<String> entries = ConcurrentHashMap.newKeySet();

  /** What enters just now. Guarded by itself, also while a request is sent that depends on it. */
  private final Map<LeaseId, Entering> entering = new HashMap<>();

  /** The requests under way for one acquisition, of which none may make an entry behind its end. */
  private static final class Entering {
    private int requests;
    private boolean takenBack;

    /** Completes when the last one is over. */
    private CompletionStage<?> last = CompletableFuture.completedFuture(null);
  }

  ZooKeeperSession(Wire wire, Tree tree, Supplier<CompletionStage<?>> close) {
    this.wire = wire;
    this.tree = tree;
    this.ttl = Duration.ofMillis(wire.zk().getSessionTimeout());
    this.close = close;
    this.beats = tree.session(wire.zk().getSessionId());
  }

  Duration ttl() {
    return ttl;
  }

  /** Makes the node of the session, which shows that this client may do that here. */
  CompletionStage<Made> begin() {
    return make(new Node(beats, "", CreateMode.EPHEMERAL, () -> {}, () -> true), 0);
  }

  /**
   * A node that is to be made.
   *
   * @param behind sends what goes behind it in the same round trip
   * @param wanted whether it is still to be made
   */
  private record Node(
      String path, String data, CreateMode mode, Runnable behind, BooleanSupplier wanted) {}

  /** Makes a node, and its parents if they are not there. */
  private CompletionStage<Made> make(Node node, int tries) {
    CompletableFuture<?>[] parents;
    CompletableFuture<Optional<Made>> made;
    synchronized (entering) {
      if (!node.wanted.getAsBoolean()) {
        return failed(Failure.UNAVAILABLE, node.path + " is not wanted any more");
      }
      parents =
          missing(node.path, tries).stream()
              .map(parent -> wire.create(parent, NO_DATA, modeOfParent(parent)))
              .toArray(CompletableFuture[]::new);
      made = wire.create(node.path, Tree.bytes(node.data), node.mode);
      node.behind.run();
    }
    return made.thenCompose(
        done -> {
          if (done.isPresent()) {
            return CompletableFuture.completedFuture(done.get());
          }
          return tries < MOST_TRIES
              ? make(node, tries + 1)
              // One of the parents says why, perhaps
              : CompletableFuture.allOf(parents)
                  .thenCompose(all -> failed(Failure.UNAVAILABLE, node.path + " cannot be made"));
        });
  }

  /**
   * The parents to make. Mostly the last one: the server removes it once it is empty for a while.
   */
  private static List<String> missing(String path, int tries) {
    if (tries == 0) {
      return List.of();
    }
    List<String> all = Tree.parents(path);
    return tries == 1 ? all.subList(all.size() - 1, all.size()) : all;
  }

  private CreateMode modeOfParent(String node) {
    return node.length() > tree.chroot().length() ? CreateMode.CONTAINER : CreateMode.PERSISTENT;
  }

  private static <T> CompletionStage<T> failed(Failure failure, String message) {
    return CompletableFuture.failedFuture(new StoreException(failure, message, null));
  }

  // ---- entries

  @Override
  public CompletionStage<Entered> enter(Ticket ticket, Duration within) {
    Optional<String> refusal = tree.refusal(ticket.name());
    if (refusal.isPresent()) {
      return failed(Failure.REFUSED, refusal.get());
    }
    Entering request;
    CompletionStage<?> before;
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    synchronized (entering) {
      request = entering.computeIfAbsent(ticket.id(), id -> new Entering());
      request.requests++;
      before = request.last;
      request.last = over;
    }
    boolean again = doubted.putIfAbsent(ticket.id(), ticket) != null;
    // Not at once: where the parent is not there, a list does not show the entry that is still made
    CompletionStage<Entered> answer =
        before.thenCompose(done -> again ? enterAgain(ticket, request) : create(ticket, request));
    return answer.whenComplete(
        (entered, failed) -> {
          synchronized (entering) {
            request.requests--;
            if (request.requests == 0) {
              entering.remove(ticket.id());
            }
          }
          if (failed == null || (!again && !Failures.mayHaveTakenEffect(failed))) {
            doubted.remove(ticket.id());
          }
          over.complete(true);
        });
  }

  private CompletionStage<Entered> create(Ticket ticket, Entering request) {
    AtomicReference<CompletableFuture<Optional<List<String>>>> list = new AtomicReference<>();
    Node node =
        new Node(
            tree.entry(ticket),
            text(Details.of(ticket)),
            CreateMode.EPHEMERAL_SEQUENTIAL,
            () -> list.set(wire.children(tree.name(ticket.name()))),
            () -> !request.takenBack);
    return make(node, 0)
        .thenCompose(
            made ->
                list.get()
                    .exceptionally(failed -> Optional.empty())
                    .thenCompose(all -> entered(ticket, made, all)));
  }

  private String text(Details details) {
    return details.text(wire.life().now().millis());
  }

  private CompletionStage<Entered> entered(
      Ticket ticket, Made made, Optional<List<String>> children) {
    entries.add(made.path());
    if (children.isEmpty()) {
      return failed(Failure.UNKNOWN_OUTCOME, "the entry was made, but the list did not come");
    }
    List<String> nodes = children.get();
    Entry own = Entry.of(ticket, made.path(), made.number());
    // Of a free lock there is nothing to be read
    boolean alone = nodes.size() == 1 && made.path().endsWith("/" + nodes.get(0));
    List<Entry> all = alone ? List.of(own) : tree.entries(ticket.name(), nodes);
    // Curator has other nodes there too, which are in the way of none of its locks
    boolean areEntries = all.size() == nodes.size() || tree.layout() != Layout.OWN;
    if (areEntries && made.number() <= FenceNumber.MAX) {
      return CompletableFuture.completedFuture(new Entered(own, all));
    }
    String why =
        areEntries
            ? "the transaction id of ZooKeeper is above 2^53-1, too large for a fencing token"
            : "under " + tree.name(ticket.name()) + " are nodes that Leasehold has not made";
    return leave(own, ttl).thenCompose(left -> failed(Failure.REFUSED, why));
  }

  private CompletionStage<Entered> enterAgain(Ticket ticket, Entering request) {
    return settled(ticket)
        .thenCompose(
            children -> {
              List<String> mine = mine(ticket, children);
              return mine.isEmpty()
                  ? create(ticket, request)
                  : wire.data(mine.get(0), null)
                      .thenCompose(
                          node ->
                              node.isEmpty()
                                  ? create(ticket, request)
                                  : entered(ticket, made(mine.get(0), node.get()), children));
            });
  }

  private static Made made(String path, Data node) {
    return new Made(path, node.stat().getCzxid());
  }

  /**
   * The children of the ticket's name once every earlier request of this session has taken effect
   * or never will. After a reconnect a server may answer a read before it has an earlier write, but
   * no write before it has all earlier ones.
   */
  private CompletionStage<Optional<List<String>>> settled(Ticket ticket) {
    CompletableFuture<Optional<Stat>> write = wire.setData(beats, NO_DATA);
    CompletableFuture<Optional<List<String>>> list = wire.children(tree.name(ticket.name()));
    return write.thenCompose(done -> list);
  }

  private List<String> mine(Ticket ticket, Optional<List<String>> children) {
    String path = tree.entry(ticket);
    return children.orElse(List.of()).stream()
        .map(child -> tree.name(ticket.name()) + "/" + child)
        .filter(child -> child.startsWith(path))
        .toList();
  }

  @Override
  public CompletionStage<Boolean> leave(Entry own, Duration within) {
    return leave(own.key());
  }

  private CompletableFuture<Boolean> leave(String path) {
    return wire.delete(path)
        .thenApply(
            there -> {
              entries.remove(path);
              return there.isPresent();
            });
  }

  @Override
  public CompletionStage<Boolean> takeBack(Ticket ticket, Duration within) {
    CompletionStage<Optional<List<String>>> settled;
    synchronized (entering) {
      Entering request = entering.get(ticket.id());
      if (request != null) {
        request.takenBack = true;
      }
      settled = settled(ticket);
    }
    return settled
        .thenCompose(children -> leaveAll(mine(ticket, children)))
        .thenApply(
            wereThere -> {
              doubted.remove(ticket.id());
              return wereThere;
            });
  }

  private CompletionStage<Boolean> leaveAll(List<String> paths) {
    CompletionStage<Boolean> any = CompletableFuture.completedFuture(false);
    for (String path : paths) {
      any = any.thenCombine(leave(path), Boolean::logicalOr);
    }
    return any;
  }

  @Override
  public CompletionStage<List<Entry>> read(List<String> names, Duration within) {
    return wire.childrenOfEach(names.stream().map(tree::name).toList())
        .thenApply(
            found -> {
              List<Entry> all = new ArrayList<>();
              for (int i = 0; i < names.size(); i++) {
                all.addAll(tree.entries(names.get(i), found.get(i).orElse(List.of())));
              }
              return all;
            });
  }

  @Override
  public CompletionStage<Optional<Details>> look(
      Entry other, @Nullable Watcher watcher, Duration within) {
    org.apache.zookeeper.Watcher ofNode =
        event -> {
          // The library watches again after a reconnect
          if (watcher != null && event.getType() != EventType.None) {
            watcher.changed(event.getType() == EventType.NodeDeleted);
          }
        };
    return wire.data(other.key(), watcher == null ? null : ofNode)
        .thenApply(found -> found.map(node -> Details.of(node.text(), 0)));
  }

  @Override
  public CompletionStage<Void> touch(Entry own, Duration within) {
    return wire.setData(own.key(), Tree.bytes(text(own.details()))).thenAccept(done -> {});
  }

  @Override
  public CompletionStage<Void> beat(Duration within) {
    return wire.setData(beats, NO_DATA).thenAccept(done -> {});
  }

  @Override
  public SessionLife life() {
    return wire.life();
  }

  @Override
  public CompletionStage<?> end() {
    return close.get();
  }

  /** Removes what it has made, where the session itself goes on. */
  CompletableFuture<Void> removeAll() {
    Stream<CompletionStage<?>> inDoubt =
        doubted.values().stream().map(ticket -> takeBack(ticket, ttl));
    Stream<CompletionStage<?>> known =
        Stream.concat(entries.stream(), Stream.of(beats)).map(wire::delete);
    return CompletableFuture.allOf(
        Stream.concat(inDoubt, known)
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new));
  }

  // ---- for operators

  /** The entries of these names, or of all, with their details, name by name. */
  CompletionStage<List<Entry>> list(Optional<String> name) {
    Optional<String> refusal = name.flatMap(tree::refusal);
    if (refusal.isPresent()) {
      return failed(Failure.REFUSED, refusal.get());
    }
    CompletionStage<List<String>> names =
        name.isPresent() ? CompletableFuture.completedFuture(List.of(name.get())) : names();
    return names
        .thenCompose(all -> inParts(all, some -> read(some, ttl)))
        .thenCompose(all -> inParts(all, this::detailed));
  }

  private CompletionStage<List<String>> names() {
    return tree.layout() == Layout.OWN
        ? wire.children(tree.root()).thenApply(found -> Tree.names(found.orElse(List.of())))
        : namesBelow(List.of(""));
  }

  /** Curator's locks may be at any path: those below these, which begin at the root. */
  private CompletionStage<List<String>> namesBelow(List<String> paths) {
    if (paths.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return inParts(paths, this::children)
        .thenCompose(
            nodes -> {
              Map<Boolean, List<String>> all =
                  nodes.stream().collect(Collectors.partitioningBy(tree.layout()::isEntry));
              List<String> names =
                  all.getOrDefault(true, List.of()).stream()
                      .map(Tree::parent)
                      .filter(name -> !name.isEmpty())
                      .distinct()
                      .toList();
              return namesBelow(all.getOrDefault(false, List.of()))
                  .thenApply(more -> Stream.of(names, more).flatMap(List::stream).toList());
            });
  }

  private CompletionStage<List<String>> children(List<String> paths) {
    return wire.childrenOfEach(paths.stream().map(tree::below).toList())
        .thenApply(
            found -> {
              List<String> all = new ArrayList<>();
              for (int i = 0; i < paths.size(); i++) {
                String path = paths.get(i) + "/";
                found.get(i).orElse(List.of()).forEach(child -> all.add(path + child));
              }
              return all;
            });
  }

  /** How many servers vote; none if there is only one. */
  CompletionStage<Long> servers() {
    return wire.data(ZooDefs.CONFIG_NODE, null)
        .thenApply(
            found ->
                found.stream()
                    .flatMap(node -> node.text().lines())
                    .filter(line -> line.startsWith("server.") && line.contains(":participant"))
                    .count());
  }

  private CompletionStage<List<Entry>> detailed(List<Entry> found) {
    // The write tells the time of the servers, which is that of the nodes
    CompletableFuture<Optional<Stat>> now = wire.setData(beats, NO_DATA);
    return wire.dataOfEach(found.stream().map(Entry::key).toList())
        .thenCompose(
            nodes ->
                wire.dataOfEach(nodes.stream().map(this::beatsOf).toList())
                    .thenCombine(now, (beaten, is) -> detailed(found, nodes, beaten, is)));
  }

  private String beatsOf(Optional<Data> node) {
    return node.map(data -> tree.session(data.stat().getEphemeralOwner())).orElse(beats);
  }

  private static List<Entry> detailed(
      List<Entry> found,
      List<Optional<Data>> nodes,
      List<Optional<Data>> beaten,
      Optional<Stat> now) {
    List<Entry> detailed = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      if (nodes.get(i).isPresent()) {
        Data node = nodes.get(i).get();
        Duration age = now.map(is -> between(node.stat().getCtime(), is)).orElse(Duration.ZERO);
        Optional<Duration> silent =
            beaten.get(i).flatMap(beat -> now.map(is -> between(beat.stat().getMtime(), is)));
        Details said = Details.of(node.text(), 0);
        Duration left =
            silent
                .map(said.remaining()::minus)
                .filter(time -> !time.isNegative())
                .orElse(Duration.ZERO);
        Details details = new Details(said.holder(), age, left);
        detailed.add(found.get(i).with(node.stat().getCzxid(), details));
      }
    }
    return detailed;
  }

  private static Duration between(long then, Stat now) {
    return Duration.ofMillis(Math.max(0, now.getMtime() - then));
  }

  /** Asks for some after the others, so that no request or answer is too large. */
  private static <T, R> CompletionStage<List<R>> inParts(
      List<T> all, Function<List<T>, CompletionStage<List<R>>> ask) {
    CompletionStage<List<R>> answers = CompletableFuture.completedFuture(List.of());
    for (int from = 0; from < all.size(); from += MOST_TOGETHER) {
      List<T> some = all.subList(from, Math.min(all.size(), from + MOST_TOGETHER));
      answers =
          answers.thenCompose(
              before ->
                  ask.apply(some)
                      .thenApply(more -> Stream.of(before, more).flatMap(List::stream).toList()));
    }
    return answers;
  }
}
