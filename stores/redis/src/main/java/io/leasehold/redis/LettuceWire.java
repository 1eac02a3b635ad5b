package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Scheduler;
import io.leasehold.internal.Threads;
import io.leasehold.spi.Traits.Calls;
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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection of an application's Lettuce client, and does not wait for
 * answers. Lettuce must not repeat commands after a reconnect: see {@link LettuceStores}.
 */
final class LettuceWire implements Wire, RedisConnectionStateListener {
  private static final String SERVER = "the Redis server of the Lettuce client";

  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final Threads threads = new Threads();
  private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
  private final List<LettuceListening> listenings = new CopyOnWriteArrayList<>();

  private LettuceWire(RedisClient client, StatefulRedisConnection<byte[], byte[]> connection) {
    this.client = client;
    this.connection = connection;
  }

  /**
   * Connects. Takes as long as the client's own limits allow.
   *
   * @throws StoreException if it cannot
   */
  static LettuceWire connect(RedisClient client) {
    try {
      LettuceWire wire = new LettuceWire(client, client.connect(ByteArrayCodec.INSTANCE));
      wire.connection.addListener(wire);
      return wire;
    } catch (RedisException e) {
      throw cannotConnect(e);
    }
  }

  static StoreException cannotConnect(RedisException e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof RedisCommandExecutionException refused) {
        return new ServerError(String.valueOf(refused.getMessage())).asException(SERVER, null);
      }
    }
    return new StoreException(
        Failure.UNAVAILABLE, "cannot connect to " + SERVER + ": " + e.getMessage(), e);
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
    if (connection.isOpen()) {
      return dispatch(commands);
    }
    CompletableFuture<Void> connected = new CompletableFuture<>();
    waiting.add(connected);
    if (connection.isOpen()) {
      onRedisConnected(null, null);
    }
    // Earlier than the engine gives up, since this much is known: nothing was sent.
    Scheduler.Timer timer = threads.schedule(() -> giveUp(connected), within.toNanos() / 10 * 9);
    return connected.thenCompose(
        done -> {
          timer.cancel();
          return dispatch(commands);
        });
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
  }

  private CompletionStage<List<Object>> dispatch(List<Command> commands) {
    CompletableFuture<List<Object>> all =
        CompletableFuture.completedFuture(new ArrayList<>(commands.size()));
    for (CompletableFuture<@Nullable Object> reply : commands.stream().map(this::send).toList()) {
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

  private CompletableFuture<@Nullable Object> send(Command command) {
    CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    command.arguments().forEach(arguments::add);
    return connection
        .async()
        .dispatch(new Keyword(command.name()), new LettuceReply(), arguments)
        .<@Nullable Object>handle(LettuceWire::answer)
        .toCompletableFuture();
  }

  private static @Nullable Object answer(@Nullable Object reply, @Nullable Throwable failed) {
    if (failed == null) {
      return reply;
    }
    if (failed instanceof RedisCommandExecutionException error) {
      return new ServerError(String.valueOf(error.getMessage()));
    }
    throw new CompletionException(
        new StoreException(
            Failure.UNKNOWN_OUTCOME, SERVER + " did not answer: " + failed.getMessage(), failed));
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
                    System.getLogger(LettuceWire.class.getName())
                        .log(System.Logger.Level.DEBUG, "a connection did not close", failed);
                  }
                });
  }

  /** The name of a command, as Lettuce wants it. */
  private record Keyword(Command.Name command) implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return command.getRaw();
    }

    @Override
    public String toString() {
      return command.name();
    }
  }
}
