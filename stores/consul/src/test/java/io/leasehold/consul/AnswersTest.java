package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.DeafListener;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.bootstrap.HttpServer;
import org.apache.hc.core5.http.impl.bootstrap.ServerBootstrap;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of answers that real servers give at moments that no test can choose. */
class AnswersTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final Pattern LOCKED = Pattern.compile("\"Key\":\"([^\"]*/lock/[^\"]*x-[^\"]*)\"");

  private final List<String> transactions = new CopyOnWriteArrayList<>();
  private final Map<String, Answering> answers = new ConcurrentHashMap<>();
  private HttpServer server;

  /** Answers one request. */
  private interface Answering {
    void to(String asked, ClassicHttpResponse response) throws IOException;
  }

  @BeforeEach
  void start() throws IOException {
    server =
        ServerBootstrap.bootstrap()
            .setCanonicalHostName("127.0.0.1")
            .setLocalAddress(InetAddress.getLoopbackAddress())
            .register("*", this::handle)
            .create();
    server.start();
  }

  @AfterEach
  void stop() {
    server.close(CloseMode.IMMEDIATE);
  }

  private void handle(ClassicHttpRequest request, ClassicHttpResponse response, HttpContext context)
      throws IOException, HttpException {
    HttpEntity body = request.getEntity();
    String asked = body == null ? "" : EntityUtils.toString(body);
    for (Map.Entry<String, Answering> each : answers.entrySet()) {
      if (request.getPath().startsWith(each.getKey())) {
        each.getValue().to(asked, response);
      }
    }
  }

  private static void say(ClassicHttpResponse response, int status, long index, String body) {
    response.setCode(status);
    response.setHeader("X-Consul-Index", index);
    response.setEntity(new StringEntity(body));
  }

  private AgentAddress address() {
    String url = "consul://127.0.0.1:" + server.getLocalPort();
    return AgentAddress.of(StoreUrl.parse(url), Map.of());
  }

  /** Of two requests to enter one may still be on its way: its removal must forbid it too. */
  @Test
  void whatMayStillBeEnteredIsForbiddenByTheRelease() throws Exception {
    answers.put(
        "/v1/session/create", (asked, response) -> say(response, 200, 1, "{\"ID\":\"session\"}"));
    answers.put("/v1/session/destroy", (asked, response) -> say(response, 200, 1, "true"));
    answers.put(
        "/v1/txn",
        (asked, response) -> {
          transactions.add(asked);
          if (transactions.size() == 1) {
            throw new IOException("the connection ends, and the answer with it");
          }
          say(response, 200, 1, entered(asked));
        });
    LeaseId id = new LeaseId(1, 2);
    Ticket ticket =
        new Ticket(
            "a",
            id,
            LockMode.EXCLUSIVE,
            1,
            1,
            Duration.ofMinutes(10),
            Ticket.Intent.QUEUE,
            false,
            "holder");
    Entries entries = new Entries("own/", new SystemClock());
    LockStore store = ConsulStore.open(address(), entries, new DeafListener());
    try {
      assertThat(store.attempt(ticket, WITHIN).toCompletableFuture())
          .failsWithin(WITHIN)
          .withThrowableOfType(Exception.class);
      assertThat(join(store.attempt(ticket, WITHIN))).isInstanceOf(Attempt.Granted.class);
      assertThat(join(store.release(ticket, WITHIN))).isEqualTo(Release.RELEASED);
    } finally {
      store.close();
    }
    assertThat(transactions).hasSize(3);
    assertThat(transactions.get(2)).contains("\"own/gone/" + id + "\"", "\"delete\"");
  }

  private static String entered(String asked) {
    Matcher key = LOCKED.matcher(asked);
    List<String> found = new ArrayList<>();
    while (key.find()) {
      found.add("{\"KV\":{\"Key\":\"" + key.group(1) + "\",\"CreateIndex\":7,\"Value\":\"\"}}");
    }
    return "{\"Results\":[" + found.get(0) + "," + found.get(0) + "],\"Errors\":null}";
  }

  private static <T> T join(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(WITHIN.toSeconds(), TimeUnit.SECONDS);
  }

  /** A server that is behind does not have the key yet, or has what had the same key before. */
  @ParameterizedTest
  @CsvSource({
    "404, 7, [], false",
    "404, 8, [], true",
    "200, 8, [], false",
    "200, 8, [{CreateIndex:5}], false",
    "200, 9, [{CreateIndex:9}], true",
    "200, 8, [{CreateIndex:3}], false",
    "200, 8, unreadable, false"
  })
  void anEntryIsGoneIfTheServerWhoSaysSoHasHadIt(
      int status, long index, String body, boolean isGone) throws Exception {
    String json = body.replace("CreateIndex", "\"CreateIndex\"");
    answers.put("/v1/kv/key", (asked, response) -> say(response, status, index, json));
    BlockingQueue<Boolean> heard = new LinkedBlockingQueue<>();
    try (Threads threads = new Threads();
        Agent agent = new Agent(address(), 4, threads)) {
      new Watches(agent, threads).add("key", 5, 7, heard::add);
      assertThat(heard.poll(WITHIN.toSeconds(), TimeUnit.SECONDS)).isEqualTo(isGone);
    }
  }
}
