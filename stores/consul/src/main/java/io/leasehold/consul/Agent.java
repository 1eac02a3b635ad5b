package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.LockNames;
import io.leasehold.spi.support.Scheduler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.impl.bootstrap.AsyncRequesterBootstrap;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncRequester;
import org.apache.hc.core5.http.nio.AsyncClientEndpoint;
import org.apache.hc.core5.http.nio.entity.StringAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.ssl.BasicClientTlsStrategy;
import org.apache.hc.core5.http.nio.support.AsyncRequestBuilder;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.http.protocol.HttpProcessorBuilder;
import org.apache.hc.core5.http.protocol.RequestConnControl;
import org.apache.hc.core5.http.protocol.RequestContent;
import org.apache.hc.core5.http.protocol.RequestTargetHost;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.Timeout;
import org.json.JSONException;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to an agent, each once: nothing here repeats one. A failure says whether it may
 * have taken effect. Thread-safe.
 */
final class Agent implements AutoCloseable {
  /** No server has put the request into its log. */
  private static final List<String> NOT_DONE =
      List.of(
          "No cluster leader",
          "node is not the leader",
          "timed out enqueuing operation",
          "leadership transfer in progress",
          "failed to get conn",
          "No known Consul servers",
          "Missing node registration");

  private static final CharCodingConfig UTF_8 =
      CharCodingConfig.custom().setCharset(StandardCharsets.UTF_8).build();

  /** Without Expect: the agent would have to agree to each body first, a round trip more. */
  private static final HttpProcessor HEADERS =
      HttpProcessorBuilder.create()
          .addAll(RequestTargetHost.INSTANCE, RequestContent.INSTANCE, RequestConnControl.INSTANCE)
          .build();

  private final AgentAddress address;
  private final Scheduler scheduler;
  private final HttpAsyncRequester requester;

  /**
   * Starts one thread.
   *
   * @param most how many connections it has; further requests wait for one
   */
  Agent(AgentAddress address, int most, Scheduler scheduler) {
    this.address = address;
    this.scheduler = scheduler;
    AsyncRequesterBootstrap bootstrap =
        AsyncRequesterBootstrap.bootstrap()
            .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(1).build())
            .setHttpProcessor(HEADERS)
            // The strict one fails a thread that was interrupted
            .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
            .setDefaultMaxPerRoute(most);
    if (address.tls() != null) {
      bootstrap.setTlsStrategy(
          new BasicClientTlsStrategy(
              address.tls(),
              (host, engine) -> {
                SSLParameters parameters = engine.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                engine.setSSLParameters(parameters);
              },
              null));
    }
    requester = bootstrap.create();
    requester.start();
  }

  /**
   * An answer that is no failure: 200, 404 or 409, or the limits of a ttl.
   *
   * @param index of the state that it shows; 0 if it does not say
   */
  record Answer(int status, long index, String body) {
    JSONObject json() {
      try {
        return new JSONObject(body);
      } catch (JSONException e) {
        throw new StoreException(Failure.UNKNOWN_OUTCOME, "this is no answer of Consul", e);
      }
    }
  }

  /** The path of a key. */
  static String path(String key) {
    return "/v1/kv/" + LockNames.encoded(key).replace("%2F", "/");
  }

  /** Asks something, by path and query. */
  CompletableFuture<Answer> get(String path, Duration within) {
    return send("GET", path, "", Failure.UNAVAILABLE, within);
  }

  /** As {@link #get}, for a question that needs a body. */
  CompletableFuture<Answer> ask(String path, Object body, Duration within) {
    return send("PUT", path, body, Failure.UNAVAILABLE, within);
  }

  /** Changes something. */
  CompletableFuture<Answer> put(String path, Object body, Duration within) {
    return send("PUT", path, body, Failure.UNKNOWN_OUTCOME, within);
  }

  /**
   * Sends a request.
   *
   * @param unanswered what it means if it was sent, and nothing is known of it
   */
  private CompletableFuture<Answer> send(
      String method, String path, Object body, Failure unanswered, Duration within) {
    String query = path.contains("?") ? address.query().replace('?', '&') : address.query();
    AsyncRequestBuilder request =
        AsyncRequestBuilder.create(method).setHttpHost(address.host()).setPath(path + query);
    if (address.token() != null) {
      request.addHeader("X-Consul-Token", address.token());
    }
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0) {
      request.setEntity(bytes, ContentType.APPLICATION_JSON);
    }
    CompletableFuture<AsyncClientEndpoint> connected = new CompletableFuture<>();
    CompletableFuture<Message<HttpResponse, String>> answered = new CompletableFuture<>();
    Scheduler.Timer timer =
        scheduler.schedule(
            () -> {
              TimeoutException late = new TimeoutException("no answer in time");
              if (!connected.completeExceptionally(late)) {
                answered.completeExceptionally(late);
              }
            },
            within.toNanos());
    try {
      Future<?> unused =
          requester.connect(
              address.host(),
              Timeout.of(within),
              null,
              into(connected, AsyncClientEndpoint::releaseAndReuse));
    } catch (IllegalStateException closed) {
      connected.completeExceptionally(closed);
    }
    return connected
        .exceptionally(
            failed -> {
              throw failure(Failure.UNAVAILABLE, "cannot connect: " + failed.getMessage());
            })
        .thenCompose(
            endpoint -> {
              Future<?> unused =
                  endpoint.execute(
                      request.build(),
                      new BasicResponseConsumer<>(new StringAsyncEntityConsumer(UTF_8)),
                      into(answered, message -> {}));
              return answered.handle(
                  (message, broke) -> answer(endpoint, message, broke, unanswered));
            })
        .whenComplete((answer, failed) -> timer.cancel());
  }

  private static <T> FutureCallback<T> into(CompletableFuture<T> future, Consumer<T> tooLate) {
    return new FutureCallback<>() {
      @Override
      public void completed(T result) {
        if (!future.complete(result)) {
          tooLate.accept(result);
        }
      }

      @Override
      public void failed(Exception e) {
        future.completeExceptionally(e);
      }

      @Override
      public void cancelled() {
        future.cancel(false);
      }
    };
  }

  private Answer answer(
      AsyncClientEndpoint endpoint,
      @Nullable Message<HttpResponse, String> message,
      @Nullable Throwable failed,
      Failure unanswered) {
    if (message == null) {
      endpoint.releaseAndDiscard();
      throw failure(unanswered, "no answer: " + (failed == null ? "" : failed.getMessage()));
    }
    endpoint.releaseAndReuse();
    int status = message.getHead().getCode();
    String text = message.getBody() == null ? "" : message.getBody().strip();
    if (status == 200 || status == 404 || status == 409 || text.contains(Connection.NO_TTL)) {
      Header index = message.getHead().getFirstHeader("X-Consul-Index");
      return new Answer(status, index == null ? 0 : Long.parseLong(index.getValue()), text);
    }
    boolean refused = status < 429 || text.contains("Permission denied") || text.contains("ACL");
    boolean undone = status == 429 || NOT_DONE.stream().anyMatch(text::contains);
    throw failure(
        refused ? Failure.REFUSED : undone ? Failure.UNAVAILABLE : unanswered,
        status + " " + text.substring(0, Math.min(200, text.length())));
  }

  private StoreException failure(Failure failure, String what) {
    return new StoreException(failure, this + ": " + what, null);
  }

  /** Ends the connections and the thread. */
  @Override
  public void close() {
    requester.close(CloseMode.IMMEDIATE);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "Consul at " + address.host().toHostString();
  }
}
