package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/** Which node of a cluster serves which slot, as far as is known. Thread-safe. */
final class SlotMap {
  private static final Command NODES = Command.of(Name.CLUSTER, "SLOTS");

  /** How long one node may take to say who serves what. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  /** The nodes are not asked more often than so after something failed. */
  private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();

  private final String server;
  private final List<HostAndPort> seeds;
  private final Function<HostAndPort, Wire> nodes;
  private final Threads threads;
  private final IntConsumer moved;
  private final AtomicReferenceArray<@Nullable HostAndPort> owners =
      new AtomicReferenceArray<>(Layout.SLOTS);
  private final AtomicBoolean learning = new AtomicBoolean();

  /**
   * Nothing is known yet.
   *
   * @param server for messages
   * @param seeds some of the nodes
   * @param nodes each can be asked
   * @param moved told of each slot that another node has come to serve; it does not block
   */
  SlotMap(
      String server,
      List<HostAndPort> seeds,
      Function<HostAndPort, Wire> nodes,
      Threads threads,
      IntConsumer moved) {
    this.server = server;
    this.seeds = seeds;
    this.nodes = nodes;
    this.threads = threads;
    this.moved = moved;
  }

  /** Who serves a slot; null if no node is known to. */
  @Nullable HostAndPort owner(int slot) {
    return owners.get(slot);
  }

  /** Those that are known to serve something. */
  Set<HostAndPort> primaries() {
    Set<HostAndPort> all = new LinkedHashSet<>();
    for (int slot = 0; slot < Layout.SLOTS; slot++) {
      HostAndPort owner = owners.get(slot);
      if (owner != null) {
        all.add(owner);
      }
    }
    return all;
  }

  /** All that are known, drawn by lot: one that is cut off must not always be the first. */
  List<HostAndPort> inTurn() {
    Set<HostAndPort> all = new LinkedHashSet<>(primaries());
    all.addAll(seeds);
    List<HostAndPort> inTurn = new ArrayList<>(all);
    Collections.shuffle(inTurn, ThreadLocalRandom.current());
    return inTurn;
  }

  /**
   * Asks until one node answers.
   *
   * @throws StoreException if none does, or one refuses
   */
  void learn() {
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
            + server
            + " says who serves what"
            + (last == null ? "" : ": " + last.getMessage()),
        last);
  }

  /** Something failed, or has moved: asks in the background. */
  void learnSoon() {
    if (learning.compareAndSet(false, true)) {
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

  private void learn(HostAndPort node) {
    Object answer =
        TimedJoin.ofOpening(server, nodes.apply(node).send(List.of(NODES), ANSWER), ANSWER).get(0);
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

  /** The node to which another one refers, for a slot. */
  HostAndPort redirected(ServerError error, HostAndPort from) {
    HostAndPort to = error.otherNode();
    if (to.getHost().isEmpty()) {
      to = new HostAndPort(from.getHost(), to.getPort());
    }
    if (error.isMoved()) {
      serves(error.slot(), to);
      learnSoon();
    }
    return to;
  }

  private void serves(int slot, HostAndPort node) {
    HostAndPort before = owners.getAndSet(slot, node);
    if (before != null && !before.equals(node)) {
      moved.accept(slot);
    }
  }
}
