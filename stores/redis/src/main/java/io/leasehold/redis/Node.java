package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One server, and what it can do: asked when connecting, and again after each reconnect. */
final class Node {
  private static final Command PING = Command.of(Name.PING);

  private static final byte[] IFEQ = Command.bytes("IFEQ");

  /** Of Redis 8.4, of Valkey 9, and of Tair. */
  private static final List<Name> COMPARING = List.of(Name.DELEX, Name.DELIFEQ, Name.CAD);

  /** The last since Redis 7.0. */
  private static final Command KNOWN =
      Command.of(Name.COMMAND, "INFO", "DELEX", "DELIFEQ", "CAD", "SSUBSCRIBE");

  private static final int SHARDED = COMPARING.size();

  private final Wire wire;
  private final Clock clock;

  /** How a key is deleted if it has a certain value; empty if only by a script. */
  private volatile Optional<Name> deleteIf;

  /** Whether the channel of a bucket is heard where the bucket is. */
  private final boolean sharded;

  /** As the scripts wake clients, but for none. */
  private final Command wakeUp;

  private final List<Finding> findings;

  private Node(
      Wire wire,
      Clock clock,
      Optional<Name> deleteIf,
      boolean sharded,
      Command wakeUp,
      List<Finding> findings) {
    this.wire = wire;
    this.clock = clock;
    this.deleteIf = deleteIf;
    this.sharded = sharded;
    this.wakeUp = wakeUp;
    this.findings = findings;
  }

  /**
   * Asks what the server can do, and teaches it the scripts.
   *
   * @throws StoreException if it cannot be reached, refuses, or is a node of a cluster
   */
  static Node probe(Wire wire, Clock clock, Keys keys, Duration within) {
    List<byte[]> spread = keys.spread();
    List<Command> commands = new ArrayList<>();
    for (Script script : Script.values()) {
      commands.add(script.load());
    }
    boolean spreads = spread.stream().map(wire::place).distinct().count() > 1;
    if (!spreads) {
      // Refused by a node of a cluster; needs no more permission, which INFO would
      commands.add(Script.nothing(spread));
    }
    int needed = commands.size();
    commands.add(KNOWN);
    Command wakeUp = keys.wakeUp(spreads);
    commands.addAll(ServerDiagnosis.questions(wakeUp));
    List<Object> replies = TimedJoin.ofOpening(wire.server(), wire.send(commands, within), within);
    for (Object reply : replies.subList(0, needed)) {
      if (reply instanceof ServerError error) {
        throw error.asException(wire.server(), null);
      }
    }
    List<Object> answers = replies.subList(needed + 1, replies.size());
    ServerDiagnosis.requireOnePrimary(wire.server(), answers);
    List<?> known = known(replies.get(needed));
    boolean sharded = spreads && known.get(SHARDED) != null;
    List<Finding> findings = new ArrayList<>(ServerDiagnosis.of(answers));
    if (sharded == spreads) {
      findings.addAll(ServerDiagnosis.ofWakeUp(wakeUp, answers));
    }
    Node node = new Node(wire, clock, deleteIf(known), sharded, keys.wakeUp(sharded), findings);
    wire.onReconnect(() -> node.askAgain(within));
    return node;
  }

  /** Behind the same address there may be another server. */
  private void askAgain(Duration within) {
    CompletionStage<List<Object>> unused =
        wire.send(List.of(KNOWN), within)
            .whenComplete(
                (replies, failed) -> {
                  if (replies != null) {
                    deleteIf = deleteIf(known(replies.get(0)));
                  }
                });
  }

  /** What is known of each command; nothing if the user may not ask. */
  private static List<?> known(@Nullable Object answer) {
    return answer instanceof List<?> infos && infos.size() > SHARDED
        ? infos
        : Collections.nCopies(SHARDED + 1, null);
  }

  private static Optional<Name> deleteIf(List<?> known) {
    for (int i = 0; i < COMPARING.size(); i++) {
      if (known.get(i) != null) {
        return Optional.of(COMPARING.get(i));
      }
    }
    return Optional.empty();
  }

  /** What the server said of itself when this connected. */
  List<Finding> findings() {
    return findings;
  }

  /** What one of its servers says of itself now. */
  CompletionStage<List<Finding>> diagnose(Wire server, Duration within) {
    return server
        .send(ServerDiagnosis.questions(wakeUp), within)
        .thenApply(
            answers -> {
              List<Finding> all = new ArrayList<>(ServerDiagnosis.of(answers));
              all.addAll(ServerDiagnosis.ofWakeUp(wakeUp, answers));
              return all;
            });
  }

  Wire wire() {
    return wire;
  }

  /** Whether clients are woken on the channels of buckets, of which each node has its own. */
  boolean isSharded() {
    return sharded;
  }

  /** Whether it compares before it deletes or sets, without a script. */
  boolean compares() {
    return deleteIf.isPresent();
  }

  /** Deletes the key if it has this value. */
  Command deleteIf(byte[] key, byte[] value) {
    // Where it has just been found out that neither is known, the server says so again
    Name name = deleteIf.orElse(Name.DELIFEQ);
    return name == Name.DELEX
        ? new Command(name, List.of(key, IFEQ, value))
        : new Command(name, List.of(key, value));
  }

  /** Sets the life of the key if it has this value. A server that compares to delete can do it. */
  Command renewIf(byte[] key, byte[] value, Duration ttl) {
    byte[] millis = Command.digits(ttl.toMillis());
    if (deleteIf.equals(Optional.of(Name.CAD))) {
      return new Command(Name.CAS, List.of(key, value, value, Command.bytes("PX"), millis));
    }
    return new Command(
        Name.SET, List.of(key, value, Command.bytes("IFEQ"), value, Command.bytes("PX"), millis));
  }

  /** Sends one command to one of its servers. */
  CompletionStage<@Nullable Object> send(
      Wire server, Command command, @Nullable String name, Duration within) {
    return server.send(List.of(command), within, replies -> orFailure(replies.get(0), name));
  }

  /** As {@link #send}; null if the server did not compare, whatever it says: ask the script. */
  CompletionStage<@Nullable Object> compare(Command command, Duration within) {
    return wire.send(List.of(command), within)
        .<@Nullable Object>thenApply(
            replies -> {
              if (replies.get(0) instanceof ServerError error) {
                if (error.code().equals("ERR")) {
                  // It does not know the command: another server than the one that was asked.
                  deleteIf = Optional.empty();
                }
                return null;
              }
              // Tair says 0 if the value differs, and -1 if there is none
              return replies.get(0) instanceof Long done && done <= 0 ? null : replies.get(0);
            });
  }

  /** Runs a script; teaches it again to a server that has forgotten it. */
  CompletionStage<@Nullable Object> run(
      Script script,
      @Nullable String name,
      List<byte[]> keys,
      List<byte[]> arguments,
      Duration within) {
    return run(script, name, keys, arguments, Optional.empty(), within);
  }

  /** As {@link #run}; what it grants counts only if so many replicas have it. */
  CompletionStage<@Nullable Object> run(
      Script script,
      @Nullable String name,
      List<byte[]> keys,
      List<byte[]> arguments,
      Optional<Replication> replication,
      Duration within) {
    return run(null, script, name, keys, arguments, replication, within);
  }

  /**
   * As {@link #run}, but who hears of something by the script does so before this client is
   * answered: a server writes to its clients in the reverse of the order in which it came to have
   * something for them, so it is asked for something else before. Saves them a fifth of the way.
   *
   * @param isLikely whether another client is likely to hear of something; else it is just run
   */
  CompletionStage<@Nullable Object> runForOthers(
      boolean isLikely,
      Script script,
      String name,
      List<byte[]> keys,
      List<byte[]> arguments,
      Duration within) {
    return run(isLikely ? PING : null, script, name, keys, arguments, Optional.empty(), within);
  }

  /**
   * What follows from an answer: at once if it is there, as it is over a wire that blocks. Chained
   * stages would take as many calls again.
   */
  static <A extends @Nullable Object, B> CompletionStage<B> then(
      CompletionStage<A> answer, Function<A, CompletionStage<B>> next) {
    CompletableFuture<A> now = answer.toCompletableFuture();
    if (!isThere(now)) {
      return answer.thenCompose(next);
    }
    try {
      return next.apply(now.join());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean isThere(CompletableFuture<?> answer) {
    return answer.isDone() && !answer.isCompletedExceptionally();
  }

  /**
   * What was asked with all keys of a name; while their slot moves, and nodes refuse that, what is
   * asked with the state alone. That is enough for a lease for which no client waits.
   */
  static CompletionStage<@Nullable Object> orAlone(
      CompletionStage<@Nullable Object> asked, Supplier<CompletionStage<@Nullable Object>> alone) {
    if (isThere(asked.toCompletableFuture())) {
      return asked;
    }
    return asked.exceptionallyCompose(
        failed -> {
          Throwable why = failed instanceof CompletionException ? failed.getCause() : failed;
          return why instanceof StoreException && why.getCause() instanceof ServerError.KeysApart
              ? alone.get()
              : CompletableFuture.failedFuture(failed);
        });
  }

  private CompletionStage<@Nullable Object> run(
      @Nullable Command before,
      Script script,
      @Nullable String name,
      List<byte[]> keys,
      List<byte[]> arguments,
      Optional<Replication> replication,
      Duration within) {
    long sent = clock.nanos();
    int index = before == null ? 0 : 1;
    return wire.send(
        commands(before, script.run(keys, arguments), replication, within),
        within,
        replies -> {
          Object reply = replies.get(index);
          if (reply instanceof ServerError error && error.code().equals("NOSCRIPT")) {
            // It did nothing, so this is no repetition.
            Duration left = within.minusNanos(clock.nanos() - sent);
            Command teach = script.teach(keys, arguments);
            return wire.send(
                commands(null, teach, replication, within),
                left,
                again -> counted(again, 0, name, replication));
          }
          return counted(replies, index, name, replication);
        });
  }

  private static List<Command> commands(
      @Nullable Command before,
      Command script,
      Optional<Replication> replication,
      Duration within) {
    if (replication.isPresent()) {
      Command ask = replication.get().ask(within);
      return before == null ? List.of(script, ask) : List.of(before, script, ask);
    }
    return before == null ? List.of(script) : List.of(before, script);
  }

  private CompletionStage<@Nullable Object> counted(
      List<Object> replies, int index, @Nullable String name, Optional<Replication> replication) {
    Object reply = replies.get(index);
    if (replication.isPresent()) {
      Object copies = replies.get(index + 1);
      Optional<StoreException> missing =
          replication.get().missing(reply, copies, wire.server(), name);
      if (missing.isPresent()) {
        return CompletableFuture.failedFuture(missing.get());
      }
    }
    return orFailure(reply, name);
  }

  private CompletionStage<@Nullable Object> orFailure(
      @Nullable Object reply, @Nullable String name) {
    return reply instanceof ServerError error
        ? CompletableFuture.failedFuture(error.asException(wire.server(), name))
        : CompletableFuture.completedFuture(reply);
  }
}
