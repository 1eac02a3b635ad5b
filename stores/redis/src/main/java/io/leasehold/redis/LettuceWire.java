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
import java.util.function.Supplier;
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
  private static final Pattern NOT_CONNECTED = Pattern.compile("not connected|is closed");

  private static final long AGAIN_NANOS = Duration.ofMillis(10).toNanos();

  /** Before it connects again to what was of no use. */
  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  private final RedisClient client;
  private final Clock clock;
  private final Threads threads = new Threads();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
  private final List<LettuceListening> listenings = new CopyOnWriteArrayList<>();
  private final TakeOvers takeOvers = new TakeOvers(threads);
  private final AtomicBoolean leaving = new AtomicBoolean();

  /** Whether the listenings have to follow. */
  private final AtomicBoolean left = new AtomicBoolean();

  private final Optional<LettuceSentinel> sentinel;
  private volatile StatefulRedisConnection<byte[], byte[]> connection;

  /** Whether the connection leads to a primary, as far as has to be asked. */
  private volatile boolean usable;

  private volatile boolean closed;
  private volatile Runnable reconnected = () -> {};

  /** Why the server is of no use. */
  private volatile Optional<StoreException> unusable = Optional.empty();

  private LettuceWire(RedisClient client, Opened opened, Clock clock) {
    this.client = client;
    this.sentinel = opened.sentinel();
    this.connection = opened.connection();
    this.clock = clock;
  }

  /** What is there once a client has connected. */
  private record Opened(
      StatefulRedisConnection<byte[], byte[]> connection, Optional<LettuceSentinel> sentinel) {
    void close() {
      end(connection);
      sentinel.ifPresent(LettuceSentinel::close);
    }
  }

  /**
   * Connects, in bounded time: the client's own limits may be long.
   *
   * @throws StoreException if it cannot
   */
  static LettuceWire connect(RedisClient client, Clock clock, Duration within) {
    CompletableFuture<Opened> made = new CompletableFuture<>();
    Threads opening = new Threads();
    opening.request(() -> connect(client, made));
    try {
      LettuceWire wire = new LettuceWire(client, TimedJoin.of(made, within), clock);
      wire.begin();
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
      CompletableFuture<Void> unused = made.thenAccept(Opened::close);
      throw new StoreException(
          Failure.UNAVAILABLE,
          "no connection to " + SERVER + " in " + within.toSeconds() + " s",
          e);
    } finally {
      CompletableFuture<?> unused = made.whenComplete((connection, failed) -> opening.close());
    }
  }

  private static void connect(RedisClient client, CompletableFuture<Opened> made) {
    try {
      // First, so that what it says is not newer than the connection
      Optional<LettuceSentinel> sentinel = LettuceSentinel.of(client);
      try {
        made.complete(new Opened(client.connect(ByteArrayCodec.INSTANCE), sentinel));
      } catch (RuntimeException e) {
        sentinel.ifPresent(LettuceSentinel::close);
        throw e;
      }
    } catch (RuntimeException | Error e) {
      made.completeExceptionally(e);
    }
  }

  private void begin() {
    connection.addListener(this);
    if (sentinel.isEmpty()) {
      usable = true;
      return;
    }
    requirePrimary();
    sentinel.get().follow(threads, this::leave);
  }

  static StoreException cannotConnect(Throwable e) {
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
    if (isUsable()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> connected = new CompletableFuture<>();
    waiting.add(connected);
    if (isUsable()) {
      sendWaiting();
    }
    Scheduler.Timer timer =
        threads.schedule(() -> giveUp(connected), Math.max(0, end - clock.nanos()));
    return connected.whenComplete((done, failed) -> timer.cancel());
  }

  private boolean isUsable() {
    return usable && connection.isOpen();
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
    if (closed || !why.isForWantOfAConnection() || end - clock.nanos() <= AGAIN_NANOS) {
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
        unusable.orElseGet(
            () -> new StoreException(Failure.UNAVAILABLE, "not connected to " + SERVER, null)));
    waiting.removeIf(CompletableFuture::isDone);
  }

  private void sendWaiting() {
    for (CompletableFuture<Void> next = waiting.poll(); next != null; next = waiting.poll()) {
      next.complete(null);
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
    if (sentinel.isPresent() && ended.equals(connection)) {
      usable = false;
    }
  }

  /** Also told by Lettuce when it has connected again by itself. */
  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> made, SocketAddress where) {
    if (!made.equals(connection)) {
      return;
    }
    if (sentinel.isEmpty()) {
      begun();
    } else {
      requirePrimary();
    }
  }

  /** Sends what waits for a connection. */
  private void begun() {
    usable = true;
    unusable = Optional.empty();
    sendWaiting();
    if (left.getAndSet(false)) {
      listenings.forEach(LettuceListening::renew);
      takeOvers.happened();
    } else if (sentinel.isPresent()) {
      // Lettuce may have followed them by itself
      takeOvers.happened();
    }
    reconnected.run();
  }

  private void requirePrimary() {
    CompletableFuture<Void> unused =
        send(Command.of(Command.Name.ROLE))
            .thenAccept(
                role -> {
                  if (role instanceof ServerError error) {
                    unusable = Optional.of(error.asException(SERVER, null));
                  } else if (role instanceof List<?> list
                      && list.get(0) instanceof byte[] first
                      && Command.text(first).equals("master")) {
                    begun();
                    return;
                  } else {
                    unusable =
                        Optional.of(
                            new StoreException(
                                Failure.UNAVAILABLE,
                                SERVER + ", which its Sentinel names as the primary, is a replica",
                                null));
                  }
                  threads.schedule(this::leave, PAUSE_NANOS);
                })
            .exceptionally(
                broken -> {
                  Log.debug("a connection broke before the server told its role", broken);
                  return null;
                });
  }

  /**
   * The primary is elsewhere now, perhaps already behind the same address: connects anew. What was
   * sent and is not answered yet has an unknown outcome.
   */
  private void leave() {
    if (!closed && leaving.compareAndSet(false, true)) {
      usable = false;
      left.set(true);
      end(connection);
      threads.background(this::connectAnew);
    }
  }

  private void connectAnew() {
    StatefulRedisConnection<byte[], byte[]> made;
    try {
      made = client.connect(ByteArrayCodec.INSTANCE);
    } catch (RuntimeException | Error e) {
      unusable = Optional.of(cannotConnect(e));
      threads.schedule(() -> threads.background(this::connectAnew), PAUSE_NANOS);
      return;
    }
    connection = made;
    leaving.set(false);
    if (closed) {
      end(made);
      return;
    }
    made.addListener(this);
    if (sentinel.isEmpty()) {
      begun();
    } else {
      requirePrimary();
    }
  }

  @Override
  public void onReconnect(Runnable told) {
    reconnected = told;
  }

  @Override
  public void onTakeOver(Supplier<? extends CompletionStage<?>> told) {
    takeOvers.onTakeOver(told);
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
      if (error.isOfReplica()) {
        leave();
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

  @Override
  public Listening listen(String channel, Consumer<byte[]> message, Runnable again) {
    LettuceListening listening = new LettuceListening(client, threads, channel, message, again);
    listenings.add(listening);
    return listening;
  }

  @Override
  public void close() {
    closed = true;
    sentinel.ifPresent(LettuceSentinel::close);
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
      return NOT_CONNECTED.matcher(Reason.of(failed)).find();
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
