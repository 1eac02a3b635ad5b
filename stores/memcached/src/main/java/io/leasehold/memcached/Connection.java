package io.leasehold.memcached;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheAuthenticationException;
import com.spotify.folsom.RawMemcacheClient;
import com.spotify.folsom.authenticate.AsciiAuthenticator;
import com.spotify.folsom.client.DefaultRawMemcacheClient;
import com.spotify.folsom.client.MemcacheEncoder;
import com.spotify.folsom.client.NoopMetrics;
import com.spotify.folsom.client.NoopTracer;
import com.spotify.folsom.client.ascii.AsciiResponse;
import com.spotify.folsom.client.ascii.DefaultAsciiMemcacheClient;
import com.spotify.folsom.client.ascii.GetRequest;
import com.spotify.folsom.guava.HostAndPort;
import com.spotify.folsom.transcoder.StringTranscoder;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.ServerUrl;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The connection to the server; the request after its end makes another. Thread-safe. */
final class Connection implements AutoCloseable {
  /** Without an answer for so long it is given up. */
  private static final int SILENCE_MILLIS = 3_000;

  private static final int MOST_UNDER_WAY = 100_000;
  private static final int MOST_BYTES = 1 << 20;

  private final ServerUrl address;
  private final Clock clock;
  private final EventLoopGroup loop =
      new NioEventLoopGroup(1, new DefaultThreadFactory("leasehold-memcached", true));
  private final ReentrantLock mutex = new ReentrantLock();
  private CompletableFuture<AsciiMemcacheClient<String>> current =
      CompletableFuture.failedFuture(new IllegalStateException("not connected yet"));

  Connection(ServerUrl address, Clock clock) {
    this.address = address;
    this.clock = clock;
  }

  /**
   * Makes requests, each once, over one connection.
   *
   * @return the answer, or a {@link StoreException}: {@code UNAVAILABLE} if no request was sent,
   *     nor will be
   */
  <T> CompletionStage<T> use(
      Duration within, Function<AsciiMemcacheClient<String>, CompletionStage<T>> requests) {
    long end = clock.nanos() + within.toNanos();
    return connected()
        .exceptionallyCompose(failed -> failed(Failure.UNAVAILABLE, "no connection", failed))
        .thenCompose(
            server ->
                clock.nanos() - end < 0
                    ? requests.apply(server)
                    : failed(Failure.UNAVAILABLE, "no connection in time", null))
        .exceptionallyCompose(failed -> failed(Failure.UNKNOWN_OUTCOME, "no answer", failed));
  }

  private <T> CompletionStage<T> failed(Failure failure, String what, @Nullable Throwable failed) {
    Throwable cause = failed instanceof CompletionException e ? e.getCause() : failed;
    boolean refused = cause instanceof MemcacheAuthenticationException;
    String why = refused ? "it wants another user and password, or some" : what;
    String all = "memcached at " + address + ": " + why + (cause == null ? "" : ": " + cause);
    return CompletableFuture.failedFuture(
        cause instanceof StoreException
            ? cause
            : new StoreException(refused ? Failure.REFUSED : failure, all, cause));
  }

  private CompletableFuture<AsciiMemcacheClient<String>> connected() {
    mutex.lock();
    try {
      if (current.isCompletedExceptionally()
          || (current.isDone() && !current.join().isConnected())) {
        // On that thread, because the host name is looked up, which may block
        current = CompletableFuture.supplyAsync(this::connect, loop).thenCompose(made -> made);
      }
      return current;
    } finally {
      mutex.unlock();
    }
  }

  private CompletionStage<AsciiMemcacheClient<String>> connect() {
    return DefaultRawMemcacheClient.connect(
            HostAndPort.fromParts(address.host().name(), address.host().port()),
            MOST_UNDER_WAY,
            64,
            false,
            null,
            SILENCE_MILLIS,
            StandardCharsets.US_ASCII,
            NoopMetrics.INSTANCE,
            MOST_BYTES,
            loop,
            NioSocketChannel.class,
            null)
        .thenCompose(this::login)
        .thenApply(
            server ->
                new DefaultAsciiMemcacheClient<>(
                    server,
                    NoopMetrics.INSTANCE,
                    NoopTracer.INSTANCE,
                    StringTranscoder.UTF8_INSTANCE,
                    StandardCharsets.US_ASCII,
                    MemcacheEncoder.MAX_KEY_LEN));
  }

  /** Logs in where it must. Elsewhere the password would become an item, for all to read. */
  private CompletionStage<RawMemcacheClient> login(RawMemcacheClient server) {
    GetRequest wantsLogin =
        new GetRequest("leasehold".getBytes(StandardCharsets.US_ASCII), false) {
          @Override
          public void handle(AsciiResponse response, HostAndPort from) {
            boolean wanted = response.type == AsciiResponse.Type.CLIENT_ERROR;
            succeed(wanted ? GetResult.success(key, 0) : null);
          }
        };
    return server
        .send(wantsLogin)
        .thenCompose(
            wanted ->
                wanted == null
                    ? CompletableFuture.completedFuture(server)
                    : new AsciiAuthenticator(address.user(), address.password())
                        .authenticate(server))
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                server.shutdown();
              }
            });
  }

  @Override
  public void close() {
    Future<?> unused = loop.shutdownGracefully(0, SILENCE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
