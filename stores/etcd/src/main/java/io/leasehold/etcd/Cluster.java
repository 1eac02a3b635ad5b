package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.stub.MetadataUtils;
import io.leasehold.sessions.Session.Watcher;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import io.leasehold.spi.support.Scheduler.Timer;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Host;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The members of a cluster, one of which is asked until it fails. A request is repeated only if it
 * certainly took no effect: another member is asked then, or after another login. Thread-safe.
 */
final class Cluster implements AutoCloseable {
  private static final Metadata.Key<String> TOKEN = header("token");

  /** Without it a member that is cut off from the others would be silent. */
  private static final Metadata.Key<String> HAS_LEADER = header("hasleader");

  private final ServerUrl servers;
  private final Scheduler scheduler;
  private final Clock clock;
  private final List<ManagedChannel> channels;

  /** The same, with the headers of a call without a user. */
  private final List<Channel> anonymous;

  /** Rises; the rest of its division by the number of members is the one that is asked. */
  private final AtomicInteger asked = new AtomicInteger();

  private final AtomicReference<@Nullable CompletableFuture<String>> token =
      new AtomicReference<>();
  private final Set<Watching> watching = ConcurrentHashMap.newKeySet();
  private volatile Runnable onRecovery = () -> {};
  private volatile boolean failing;
  private volatile long lastAnswer;

  /**
   * Of these members.
   *
   * @param scheduler ends requests without an answer, and tells what happens to the cluster
   */
  Cluster(ServerUrl servers, ChannelCredentials security, Clock clock, Scheduler scheduler) {
    this.servers = servers;
    this.clock = clock;
    this.scheduler = scheduler;
    this.lastAnswer = clock.nanos();
    this.channels = servers.hosts().stream().map(each -> channel(each, security)).toList();
    this.anonymous = channels.stream().map(each -> withHeaders(each, "")).toList();
  }

  private static Metadata.Key<String> header(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private static ManagedChannel channel(Host member, ChannelCredentials security) {
    return Grpc.newChannelBuilder("dns:///" + member, security)
        .disableRetry()
        .maxInboundMessageSize(Integer.MAX_VALUE)
        .keepAliveTime(10, TimeUnit.SECONDS)
        .keepAliveTimeout(5, TimeUnit.SECONDS)
        .userAgent("leasehold")
        .directExecutor()
        .build();
  }

  private static Channel withHeaders(ManagedChannel channel, String known) {
    Metadata headers = new Metadata();
    headers.put(HAS_LEADER, "true");
    if (!known.isEmpty()) {
      headers.put(TOKEN, known);
    }
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Runs this when the cluster answers again. */
  void listen(Runnable recovery) {
    onRecovery = recovery;
  }

  /** Not on the calling thread, which may have a mutex. */
  private void callback(Runnable task) {
    scheduler.callback(Lane.ENGINE, task);
  }

  /** Runs this after a delay. */
  Timer after(long nanos, Runnable task) {
    return scheduler.schedule(task, nanos);
  }

  /** Asks for something, or for what may be done twice; other members too, if one is silent. */
  <Q, A> CompletableFuture<A> read(MethodDescriptor<Q, A> method, Q message, Duration within) {
    return new Request<>(this, method, message, false, within).begin();
  }

  /** Changes something. */
  <Q, A> CompletableFuture<A> change(MethodDescriptor<Q, A> method, Q message, Duration within) {
    return new Request<>(this, method, message, true, within).begin();
  }

  int size() {
    return channels.size();
  }

  /** The member to ask. */
  int asked() {
    return asked.get();
  }

  private int index(int at) {
    return Math.floorMod(at, channels.size());
  }

  String name(int at) {
    return servers.hosts().get(index(at)).toString();
  }

  /** A call of a member, not started. */
  <Q, A> ClientCall<Q, A> call(
      int at, String known, MethodDescriptor<Q, A> method, CallOptions options) {
    int index = index(at);
    Channel channel =
        known.isEmpty() ? anonymous.get(index) : withHeaders(channels.get(index), known);
    return channel.newCall(method, options);
  }

  /** Whether no request was answered for so long. */
  boolean isSilent(long nanos) {
    return clock.nanos() - lastAnswer >= nanos;
  }

  /** Takes the next member, and a new connection if there is no other. */
  void failed(int at) {
    if (asked.compareAndSet(at, at + 1)) {
      failing = true;
      channels.get(index(at)).enterIdle();
      callback(() -> watching.forEach(Watching::giveUp));
    }
  }

  /** A member answered. */
  void answered() {
    lastAnswer = clock.nanos();
    if (failing) {
      failing = false;
      callback(onRecovery);
    }
  }

  /** What the cluster gave for the password; empty without a user. */
  CompletableFuture<String> token(Deadline until) {
    if (servers.user().isEmpty()) {
      return CompletableFuture.completedFuture("");
    }
    CompletableFuture<String> known = token.get();
    if (known != null) {
      return known;
    }
    CompletableFuture<String> made = new CompletableFuture<>();
    if (!token.compareAndSet(null, made)) {
      return token(until);
    }
    AuthenticateRequest message =
        AuthenticateRequest.newBuilder()
            .setName(servers.user())
            .setPassword(servers.password())
            .build();
    Duration within = Duration.ofNanos(Math.max(1, until.timeRemaining(TimeUnit.NANOSECONDS)));
    CompletableFuture<String> unused =
        new Request<>(this, AuthGrpc.getAuthenticateMethod(), message, false, within)
            .send()
            .thenApply(AuthenticateResponse::getToken)
            .whenComplete(
                (got, failed) -> {
                  if (failed == null) {
                    made.complete(got);
                  } else {
                    token.compareAndSet(made, null);
                    made.completeExceptionally(failed);
                  }
                });
    return made;
  }

  private static String known(@Nullable CompletableFuture<String> token) {
    return token == null ? "" : token.exceptionally(failed -> "").getNow("");
  }

  /**
   * The server has forgotten this token.
   *
   * @return whether there can be another one
   */
  boolean forget(String used) {
    CompletableFuture<String> last = token.get();
    if (used.equals(known(last))) {
      token.compareAndSet(last, null);
    }
    return !servers.user().isEmpty();
  }

  /**
   * Watches a key.
   *
   * @param from the first revision of which to hear
   * @param watcher runs once, soon after a change, and also if one may be missed
   */
  void watch(ByteString key, long from, Watcher watcher) {
    ClientCall<WatchRequest, WatchResponse> call =
        call(asked.get(), known(token.get()), WatchGrpc.getWatchMethod(), CallOptions.DEFAULT);
    Watching made = new Watching(call, watching::remove, watcher);
    watching.add(made);
    made.begin(key, from);
  }

  /** Lets the requests end that are under way, for a second. */
  @Override
  public void close() {
    watching.forEach(Watching::giveUp);
    channels.forEach(ManagedChannel::shutdown);
    try {
      Deadline soon = Deadline.after(1, TimeUnit.SECONDS);
      for (ManagedChannel each : channels) {
        each.awaitTermination(soon.timeRemaining(TimeUnit.MILLISECONDS), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
