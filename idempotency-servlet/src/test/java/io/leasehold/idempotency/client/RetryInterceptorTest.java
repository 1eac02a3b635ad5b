package io.leasehold.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.spi.support.Clock;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryInterceptorTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final List<String> script = new CopyOnWriteArrayList<>();
  private final List<Duration> pauses = new CopyOnWriteArrayList<>();
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private long now;

  /** A pause takes as long as it says, by this clock. */
  private final Clock clock =
      new Clock() {
        @Override
        public long nanos() {
          return now;
        }

        @Override
        public long wallMillis() {
          return 784_111_777_000L + TimeUnit.NANOSECONDS.toMillis(now);
        }
      };

  /** Answers by the script, "STATUS RETRY-AFTER" each, the last one for ever. */
  @BeforeEach
  void start() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws IOException {
            bodies.add(Content.Source.asString(request, StandardCharsets.UTF_8));
            keys.add(String.join("|", request.getHeaders().getValuesList("Idempotency-Key")));
            String next = script.get(Math.min(keys.size(), script.size()) - 1);
            int blank = next.indexOf(' ');
            if (blank > 0) {
              response.getHeaders().put("Retry-After", next.substring(blank + 1));
            }
            response.setStatus(Integer.parseInt(blank > 0 ? next.substring(0, blank) : next));
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/orders"))
        .POST(BodyPublishers.ofString("book"));
  }

  private RetryInterceptor interceptor(RetryInterceptor.Builder settings) {
    return settings.build(
        clock,
        nanos -> {
          pauses.add(Duration.ofNanos(nanos));
          now += nanos;
        });
  }

  private HttpResponse<Void> send(RetryInterceptor.Builder settings, HttpRequest request)
      throws IOException, InterruptedException {
    return interceptor(settings)
        .intercept(request, next -> client.send(next, BodyHandlers.discarding()));
  }

  private HttpResponse<Void> send() throws IOException, InterruptedException {
    return send(RetryInterceptor.builder(), request().build());
  }

  @Test
  void aCallHasOneKeyForAllItsAttempts() throws Exception {
    script.addAll(List.of("503", "500", "200"));
    assertThat(send().statusCode()).isEqualTo(200);
    assertThat(keys).hasSize(3).allMatch(key -> key.matches("\"[0-9a-f-]{36}\""));
    assertThat(keys.stream().distinct()).hasSize(1);
    assertThat(bodies).containsOnly("book").hasSize(3);
    send();
    assertThat(keys.stream().distinct()).hasSize(2);
  }

  @Test
  void aKeyOfTheCallerIsKept() throws Exception {
    script.addAll(List.of("503", "200"));
    send(RetryInterceptor.builder(), request().header("Idempotency-Key", "mine").build());
    assertThat(keys).containsExactly("mine", "mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"409 1", "425", "429", "429 1", "500", "502", "503", "503 1", "504"})
  void itIsSentAgain(String answer) throws Exception {
    script.addAll(List.of(answer, "201"));
    assertThat(send().statusCode()).isEqualTo(201);
    assertThat(keys).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"200", "201", "303", "400", "401", "404", "409", "413", "422", "501", "505"})
  void itIsNotSentAgain(String answer) throws Exception {
    script.add(answer);
    assertThat(send().statusCode()).isEqualTo(Integer.parseInt(answer));
    assertThat(keys).hasSize(1);
    assertThat(pauses).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "Sun, 06 Nov 1994 08:49:44 GMT"})
  void itWaitsForAsLongAsItIsTold(String retryAfter) throws Exception {
    script.addAll(List.of("409 " + retryAfter, "200"));
    send();
    assertThat(pauses)
        .singleElement()
        .satisfies(
            pause -> assertThat(pause).isBetween(Duration.ofSeconds(7), Duration.ofMillis(7_200)));
  }

  @Test
  void aPauseThatIsTooLongIsTheCallersToDecide() throws Exception {
    script.add("503 21");
    assertThat(send().statusCode()).isEqualTo(503);
    assertThat(keys).hasSize(1);
    script.set(0, "409 nonsense");
    assertThat(send().statusCode()).isEqualTo(409);
    assertThat(keys).hasSize(2);
  }

  @Test
  void attemptsAreBounded() throws Exception {
    script.add("503");
    assertThat(send(RetryInterceptor.builder().attempts(3), request().build()).statusCode())
        .isEqualTo(503);
    assertThat(keys).hasSize(3);
  }

  @Test
  void timeIsBounded() throws Exception {
    script.add("409 10");
    RetryInterceptor.Builder minute =
        RetryInterceptor.builder().attempts(1000).atMost(Duration.ofMinutes(1));
    send(minute, request().build());
    assertThat(Duration.ofNanos(now)).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
    assertThat(keys).hasSize(pauses.size() + 1).hasSizeBetween(6, 7);
  }

  @Test
  void pausesAreAtRandomBelowABoundThatDoubles() throws Exception {
    script.add("503");
    send(
        RetryInterceptor.builder()
            .attempts(60)
            .atMost(Duration.ofHours(1))
            .longestPause(Duration.ofSeconds(5)),
        request().build());
    assertThat(pauses).hasSize(59);
    Duration bound = Duration.ofMillis(200);
    for (Duration pause : pauses) {
      assertThat(pause).isBetween(Duration.ZERO, bound);
      bound =
          bound.multipliedBy(2).compareTo(Duration.ofSeconds(5)) > 0
              ? Duration.ofSeconds(5)
              : bound.multipliedBy(2);
    }
    assertThat(pauses.stream().distinct().count()).isGreaterThan(50);
    assertThat(pauses).anySatisfy(pause -> assertThat(pause).isGreaterThan(Duration.ofSeconds(2)));
  }

  @Test
  void aConnectionThatBreaksIsTriedAgainAndThenReported() throws Exception {
    HttpRequest request = request().build();
    server.stop();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> send(RetryInterceptor.builder().attempts(3), request))
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(pauses).hasSize(2);
  }

  @Test
  void aReplyThatWasLostIsAskedForAgainWithTheSameKey() throws Exception {
    script.add("201");
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", connector.getLocalPort(), Framing.NONE)) {
      proxy.stall(FaultProxy.Direction.TO_CLIENT);
      URI through = URI.create("http://127.0.0.1:" + proxy.port() + "/orders");
      Future<HttpResponse<Void>> answer =
          pool.submit(() -> send(RetryInterceptor.builder(), request().uri(through).build()));
      await().until(() -> keys.size() == 1);
      proxy.drop(FaultProxy.Direction.TO_CLIENT);
      proxy.cutAll();
      await().until(() -> !pauses.isEmpty() || answer.isDone());
      proxy.heal();
      proxy.cutAll();
      assertThat(answer.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
      assertThat(keys).hasSizeGreaterThan(1);
      assertThat(keys.stream().distinct()).hasSize(1);
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void anInterruptEndsAPause() throws Exception {
    script.add("409 10");
    CountDownLatch ended = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () -> {
              try {
                RetryInterceptor.create()
                    .intercept(
                        request().build(), next -> client.send(next, BodyHandlers.discarding()));
              } catch (InterruptedException e) {
                ended.countDown();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    caller.start();
    await().until(() -> caller.getState() == Thread.State.TIMED_WAITING && keys.size() == 1);
    caller.interrupt();
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keys).hasSize(1);
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryInterceptor.builder().attempts(0))
        .withMessageContaining("0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryInterceptor.builder().atMost(Duration.ofDays(2)))
        .withMessageContaining("PT48H");
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }
}
