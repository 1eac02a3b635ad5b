package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection of an application's Lettuce client, and does not wait for
 * answers. Lettuce must not repeat commands after a reconnect: see {@link LettuceStores}.
 */
final class LettuceWire implements Wire, RedisConnectionStateListener {
  private static final String SERVER = "the Redis server of the Lettuce client";

  /** What Lettuce says of a command that it has not sent. */
  private static final Pattern NOT_SENT =
      Pattern.compile("Commands are (rejected|not accepted)|Connection is closed");

  /** It calls a connection open for a moment before and after it sends on it. */
  private static final String NOT_CONNECTED = "not connected";

  private static final long AGAIN_NANOS = Duration.ofMillis(10).toNanos();

  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final Clock clock;
  private final Threads threads = new Threads();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
  private final List<LettuceListening> listenings = new CopyOnWriteArrayList<>();
  private final AtomicBoolean leaving = new AtomicBoolean();
  private volatile Runnable reconnected = () -> {};

  private LettuceWire(
      RedisClient client, StatefulRedisConnection<byte[], byte[]> connection, Clock clock) {
    this.client = client;
    this.connection = connection;
    this.clock = clock;
  }

  /**
   * Connects, in bounded time: the client's own limits may be long.
   *
   * @throws StoreException if it cannot
   */
  static LettuceWire connect(RedisClient client, Clock clock, Duration within) {
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> made = new CompletableFuture<>();
    Threads opening = new Threads();
    opening.request(() -> connect(client, made));
    try {
      LettuceWire wire = new LettuceWire(client, TimedJoin.of(made, within), clock);
      wire.connection.addListener(wire);
      return wire;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisException failed) {
        throw cannotConnect(failed);
      }
      if (e.getCause() instanceof LinkageError wrongVersion) {
        throw wrongVersion;
      }
      throw e.getCause() instanceof RuntimeException failed ? failed : new IllegalStateException(e);
    } catch (TimeoutException e) {
      CompletableFuture<Void> unused = made.thenAccept(LettuceWire::end);
      throw new StoreException(
          Failure.UNAVAILABLE,
          "no connection to " + SERVER + " in " + within.toSeconds() + " s",
          e);
    } finally {
      CompletableFuture<?> unused = made.whenComplete((connection, failed) -> opening.close());
    }
  }

  private static void connect(
      RedisClient client, CompletableFuture<StatefulRedisConnection<byte[], byte[]>> made) {
    try {
      made.complete(client.connect(ByteArrayCodec.INSTANCE));
    } catch (RuntimeException | LinkageError e) {
      made.completeExceptionally(e);
    }
  }

  static StoreException cannotConnect(RedisException e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof RedisCommandExecutionException refused) {
        return new ServerError(String.valueOf(refused.getMessage())).asException(SERVER, null);
      }
    }
    return new StoreException(
        Failure.UNAVAILABLE, "cannot connect to " + SERVER + ": " + Reason.of(e), e);
  }

  @Override
  public String server() {
    return SERVER;
  }

  @Override
  public Calls calls() {
    return Calls.NON_BLOCKING;
  }

  @Override
  public CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    // Earlier than the engine gives up, since this much is known: nothing was sent.
    return sendUntil(clock.nanos() + within.toNanos() / 10 * 9, commands);
  }

  private CompletionStage<List<Object>> sendUntil(long end, List<Command> commands) {
    return connectedUntil(end)
        .thenCompose(done -> dispatch(commands))
        .thenCompose(answers -> answersUntil(end, commands, answers));
  }

  private CompletionStage<Void> connectedUntil(long end) {
    if (connection.isOpen()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> connected = new CompletableFuture<>();
    waiting.add(connected);
    if (connection.isOpen()) {
      onRedisConnected(null, null);
    }
    Scheduler.Timer timer =
        threads.schedule(() -> giveUp(connected), Math.max(0, end - clock.nanos()));
    return connected.whenComplete((done, failed) -> timer.cancel());
  }

  /** The answers; commands of which none was sent are sent again once there is a connection. */
  private CompletionStage<List<Object>> answersUntil(
      long end, List<Command> commands, List<Object> answers) {
    Optional<NotSent> rejected =
        answers.stream().filter(NotSent.class::isInstance).map(NotSent.class::cast).findFirst();
    if (rejected.isEmpty()) {
      return CompletableFuture.completedFuture(answers);
    }
    NotSent why = rejected.get();
    if (!answers.stream().allMatch(NotSent.class::isInstance)) {
      return CompletableFuture.failedFuture(didNotAnswer(why.failed()));
    }
    if (!why.isForWantOfAConnection() || end - clock.nanos() <= AGAIN_NANOS) {
      return CompletableFuture.failedFuture(
          new StoreException(
              Failure.UNAVAILABLE,
              SERVER + " was not asked: " + Reason.of(why.failed()),
              why.failed()));
    }
    CompletableFuture<Void> soon = new CompletableFuture<>();
    threads.schedule(() -> soon.complete(null), AGAIN_NANOS);
    return soon.thenCompose(done -> sendUntil(end, commands));
  }

  private void giveUp(CompletableFuture<Void> connected) {
    connected.completeExceptionally(
        new StoreException(Failure.UNAVAILABLE, "not connected to " + SERVER, null));
    waiting.removeIf(CompletableFuture::isDone);
  }

  /** Sends what waits for a connection. */
  @Override
  public void onRedisConnected(
      @Nullable RedisChannelHandler<?, ?> made, @Nullable SocketAddress where) {
    for (CompletableFuture<Void> next = waiting.poll(); next != null; next = waiting.poll()) {
      next.complete(null);
    }
    if (made != null) {
      if (leaving.getAndSet(false)) {
        listenings.forEach(LettuceListening::renew);
      }
      reconnected.run();
    }
  }

  @Override
  public void onReconnect(Runnable told) {
    reconnected = told;
  }

  private CompletionStage<List<Object>> dispatch(List<Command> commands) {
    CompletableFuture<List<Object>> all =
        CompletableFuture.completedFuture(new ArrayList<>(commands.size()));
    for (CompletableFuture<@Nullable Object> reply : sendEach(commands)) {
      all =
          all.thenCombine(
              reply,
              (answers, answer) -> {
                answers.add(answer);
                return answers;
              });
    }
    return all;
  }

  private List<CompletableFuture<@Nullable Object>> sendEach(List<Command> commands) {
    return commands.stream().map(this::send).toList();
  }

  private CompletableFuture<@Nullable Object> send(Command command) {
    CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    command.arguments().forEach(arguments::add);
    return connection
        .async()
        .dispatch(new Keyword(command.name()), new LettuceReply(), arguments)
        .<@Nullable Object>handle(this::answer)
        .toCompletableFuture();
  }

  /** What was answered. */
  private @Nullable Object answer(@Nullable Object reply, @Nullable Throwable failed) {
    if (failed == null) {
      return reply;
    }
    if (failed instanceof RedisCommandExecutionException refused) {
      ServerError error = new ServerError(String.valueOf(refused.getMessage()));
      if (error.isOfReplica() && leaving.compareAndSet(false, true)) {
        reconnect(connection);
      }
      return error;
    }
    if (NOT_SENT.matcher(Reason.of(failed)).find()) {
      return new NotSent(failed);
    }
    throw new CompletionException(didNotAnswer(failed));
  }

  private static StoreException didNotAnswer(Throwable failed) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, SERVER + " did not answer: " + Reason.of(failed), failed);
  }

  /**
   * The primary is elsewhere now, perhaps already behind the same address: Lettuce connects anew.
   */
  static void reconnect(StatefulRedisConnection<?, ?> connection) {
    CompletionStage<?> unused = connection.async().quit();
  }

  @Override
  public Listening listen(String channel, Consumer<String> message, Runnable again) {
    LettuceListening listening = new LettuceListening(client, threads, channel, message, again);
    listenings.add(listening);
    return listening;
  }

  @Override
  public void close() {
    end(connection);
    listenings.forEach(LettuceListening::close);
    threads.close();
  }

  /** Closes a connection, and waits for nothing. */
  static void end(StatefulConnection<?, ?> connection) {
    CompletableFuture<Void> unused =
        connection
            .closeAsync()
            .whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    Log.debug("a connection did not close", failed);
                  }
                });
  }

  /** Stands for the answer to a command that Lettuce has not sent. */
  private record NotSent(Throwable failed) {
    boolean isForWantOfAConnection() {
      return Reason.of(failed).contains(NOT_CONNECTED);
    }
  }

  /** The name of a command, as Lettuce wants it. */
  private record Keyword(Command.Name command) implements ProtocolKeyword {
    /** Wanted by the oldest versions only. */
    @Override
    @SuppressWarnings("deprecation")
    public String name() {
      return command.name();
    }

    @Override
    public byte[] getBytes() {
      return command.bytes();
    }

    @Override
    public String toString() {
      return command.name();
    }
  }
}
