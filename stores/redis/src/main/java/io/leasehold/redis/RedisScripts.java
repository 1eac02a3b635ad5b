package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import io.leasehold.spi.support.VirtualThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Runs scripts of another module of this library on a server of locks, with the same connections,
 * time limits, URLs and errors as the lock store. Not for applications. Thread-safe.
 */
public final class RedisScripts implements AutoCloseable {
  private static final Duration OPENING = Duration.ofSeconds(5);

  /** A script and its SHA-1. Immutable. */
  public static final class Text {
    private final byte[] bytes;
    private final byte[] sha;

    /** Makes a script of its text. */
    public Text(String text) {
      this.bytes = Command.bytes(text);
      this.sha = Command.bytes(Script.sha1(text));
    }
  }

  private final Wire wire;
  private final String prefix;
  private final Threads threads = new Threads();

  private RedisScripts(Wire wire, String prefix) {
    this.wire = wire;
    this.prefix = prefix;
  }

  /**
   * Connects to the server of a URL.
   *
   * @throws IllegalArgumentException if the URL is malformed
   * @throws StoreException if the server cannot be reached, or refuses the client
   */
  public static RedisScripts open(StoreUrl url) {
    String prefix = url.parameter("prefix").orElse(Keys.PREFIX);
    return open(RedisStoreProvider.connections(url), prefix);
  }

  /** Connects with the settings of the application's client. */
  public static RedisScripts open(RedisClient client, String prefix) {
    return open(RedisStores.connections(client.getPool()), prefix);
  }

  /**
   * Connects to the server or the primary of an address.
   *
   * @throws IllegalArgumentException if it is that of a cluster
   */
  public static RedisScripts open(RedisAddress address, String prefix) {
    return open(address.connections(), prefix);
  }

  /** As {@link LettuceStores#using}: over one connection of the application's client. */
  public static RedisScripts openLettuce(io.lettuce.core.RedisClient client, String prefix) {
    Keys keys = new Keys(prefix);
    return open(LettuceStores.wire(client, new SystemClock()), keys, prefix);
  }

  private static RedisScripts open(Connections connections, String prefix) {
    ClientLibrary.JEDIS.require();
    Keys keys = new Keys(prefix);
    return open(new JedisWire(connections, new SystemClock()), keys, prefix);
  }

  private static RedisScripts open(Wire wire, Keys keys, String prefix) {
    try {
      Node unused = Node.probe(wire, new SystemClock(), keys, OPENING);
      return new RedisScripts(wire, prefix);
    } catch (RuntimeException e) {
      wire.close();
      throw e;
    }
  }

  /** The prefix of every key. */
  public String prefix() {
    return prefix;
  }

  /**
   * Runs a script: one request, or two if the server has forgotten the script.
   *
   * @return null, a {@code Long}, a {@code byte[]}, or a {@code List} of these
   * @throws StoreException if the server does not answer, or answers with an error
   */
  public @Nullable Object run(
      Text script, List<byte[]> keys, List<byte[]> arguments, Duration within) {
    Object reply = send(Script.command(Name.EVALSHA, script.sha, keys, arguments), within);
    if (reply instanceof ServerError error && error.code().equals("NOSCRIPT")) {
      // It did nothing, so this is no repetition
      reply = send(Script.command(Name.EVAL, script.bytes, keys, arguments), within);
    }
    if (reply instanceof ServerError error) {
      throw error.asException(wire.server(), null);
    }
    return reply;
  }

  /** A virtual thread sends nothing itself: what interrupts it would close the socket of others. */
  private CompletableFuture<List<Object>> sent(Command command, Duration within) {
    if (!VirtualThreads.isVirtual(Thread.currentThread())) {
      return wire.send(List.of(command), within).toCompletableFuture();
    }
    return CompletableFuture.supplyAsync(
            () -> wire.send(List.of(command), within), threads::request)
        .thenCompose(Function.identity());
  }

  private @Nullable Object send(Command command, Duration within) {
    try {
      return TimedJoin.of(sent(command, within), within).get(0);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreException failed) {
        throw failed;
      }
      throw new StoreException(
          Failure.UNKNOWN_OUTCOME, wire.server() + " did not answer: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new StoreException(
          Failure.UNKNOWN_OUTCOME,
          wire.server() + " did not answer in " + within.toMillis() + " ms",
          e);
    }
  }

  @Override
  public void close() {
    wire.close();
    threads.close();
  }
}
