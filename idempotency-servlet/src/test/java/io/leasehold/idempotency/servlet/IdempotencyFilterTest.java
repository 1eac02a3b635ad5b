package io.leasehold.idempotency.servlet;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.WhileRunning;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyFilterTest {
  private final List<AutoCloseable> open = new ArrayList<>();
  private final AtomicInteger orders = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T opened(T what) {
    open.add(what);
    return what;
  }

  private IdempotencyFilter.Builder filter() {
    return Web.filter(opened(Idempotency.builder(IdempotencyStores.inMemory()).build()));
  }

  private Web web(Web.App app) throws Exception {
    return opened(new Web(filter(), app));
  }

  private Web shop() throws Exception {
    return web((request, response) -> order(response));
  }

  private void order(HttpServletResponse response) throws IOException {
    int number = orders.incrementAndGet();
    response.setStatus(201);
    response.setHeader("Location", "/orders/" + number);
    response.setHeader("X-Shard", "7");
    response.addHeader("Link", "</a>; rel=\"a\"");
    response.addHeader("Link", "</b>; rel=\"b\"");
    response.addHeader("Set-Cookie", "secret=1");
    response.setContentType("text/plain;charset=utf-8");
    response.getOutputStream().write(("order ü " + number).getBytes(StandardCharsets.UTF_8));
  }

  private static void assertProblem(HttpResponse<String> response, int status, String type) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(response.body())
        .startsWith("{\"type\":\"urn:leasehold:idempotency:" + type + "\",\"title\":\"")
        .contains("\"status\":" + status + ",\"detail\":\"");
  }

  private static void assertReplayed(HttpResponse<String> response, boolean replayed) {
    assertThat(response.headers().firstValue("Idempotency-Replayed"))
        .isEqualTo(replayed ? java.util.Optional.of("true") : java.util.Optional.empty());
  }

  // ---- replay

  @Test
  void aRepeatedRequestGetsStatusHeadersAndBody() throws Exception {
    Web web = shop();
    HttpResponse<String> first = web.sendPost("/orders", "\"k1\"", "book");
    HttpResponse<String> second = web.sendPost("/orders", "\"k1\"", "book");
    assertReplayed(first, false);
    assertReplayed(second, true);
    assertThat(orders).hasValue(1);
    for (HttpResponse<String> each : List.of(first, second)) {
      assertThat(each.statusCode()).isEqualTo(201);
      assertThat(each.body()).isEqualTo("order ü 1");
      assertThat(each.headers().firstValue("Location")).hasValue("/orders/1");
      assertThat(each.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
      assertThat(each.headers().allValues("Link"))
          .containsExactly("</a>; rel=\"a\"", "</b>; rel=\"b\"");
    }
    assertThat(first.headers().map()).containsKeys("Set-Cookie", "X-Shard");
    assertThat(second.headers().map()).doesNotContainKeys("Set-Cookie", "X-Shard");
  }

  @Test
  void moreHeadersAreReplayedIfTheyAreNamed() throws Exception {
    Web web =
        opened(new Web(filter().replayHeaders("x-shard"), (request, answer) -> order(answer)));
    web.sendPost("/orders", "k", "");
    assertThat(web.sendPost("/orders", "k", "").headers().firstValue("X-Shard")).hasValue("7");
  }

  @Test
  void aQuotedKeyAndTheSameBareAreOne() throws Exception {
    Web web = shop();
    web.sendPost("/orders", "\"k1\"", "");
    assertReplayed(web.sendPost("/orders", "k1", ""), true);
  }

  @Test
  void aWriterAnErrorPageARedirectAndAnEmptyResponseAreReplayed() throws Exception {
    Web web =
        web(
            (request, response) -> {
              switch (request.getRequestURI()) {
                case "/writer" -> {
                  response.setContentType("text/html");
                  response.setCharacterEncoding("ISO-8859-1");
                  PrintWriter writer = response.getWriter();
                  writer.print("dropped");
                  response.resetBuffer();
                  writer.print("grüße");
                  writer.flush();
                }
                case "/missing" -> {
                  response.setHeader("Link", "</help>");
                  response.sendError(404, "no such order");
                }
                case "/redirect" -> response.sendRedirect("/elsewhere");
                default -> response.setStatus(204);
              }
            });
    for (boolean replayed : new boolean[] {false, true}) {
      HttpResponse<String> writer = web.sendPost("/writer", "k1", "");
      assertThat(writer.body()).isEqualTo("grüße");
      assertThat(writer.headers().firstValue("Content-Type").orElseThrow())
          .isEqualToIgnoringCase("text/html;charset=iso-8859-1");
      HttpResponse<String> error = web.sendPost("/missing", "k2", "");
      assertThat(error.statusCode()).isEqualTo(404);
      assertThat(error.body()).contains("no such order");
      HttpResponse<String> redirect = web.sendPost("/redirect", "k3", "");
      assertThat(redirect.statusCode()).isEqualTo(302);
      assertThat(redirect.headers().firstValue("Location").orElseThrow()).endsWith("/elsewhere");
      HttpResponse<String> empty = web.sendPost("/empty", "k4", "");
      assertThat(empty.statusCode()).isEqualTo(204);
      for (HttpResponse<String> each : List.of(writer, error, redirect, empty)) {
        assertReplayed(each, replayed);
      }
    }
    assertThat(web.calls).hasValue(4);
  }

  // ---- the header

  @Test
  void aMissingKeyIsRefusedWhereItIsRequired() throws Exception {
    Web web =
        opened(
            new Web(
                filter().requireKey(request -> request.getRequestURI().startsWith("/pay")),
                (request, answer) -> order(answer)));
    assertProblem(web.sendPost("/pay/1", null, ""), 400, "key-missing");
    assertThat(orders).hasValue(0);
    assertThat(web.sendPost("/other", null, "").statusCode()).isEqualTo(201);
    assertThat(web.sendPost("/other", null, "").statusCode()).isEqualTo(201);
    assertThat(orders).hasValue(2);
  }

  @Test
  void otherMethodsAreNotLookedAt() throws Exception {
    Web web = shop();
    for (String method : List.of("GET", "PUT", "DELETE")) {
      for (int i = 0; i < 2; i++) {
        assertReplayed(
            web.send(web.post("/a", "k", "").method(method, BodyPublishers.noBody())), false);
      }
    }
    assertThat(orders).hasValue(6);
    HttpRequest.Builder patch = web.post("/a", "p", "").method("PATCH", BodyPublishers.noBody());
    assertReplayed(web.send(patch), false);
    assertReplayed(web.send(patch), true);
    assertThat(orders).hasValue(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Idempotency-Key:\r\n",
        "Idempotency-Key: \"\"\r\n",
        "Idempotency-Key: \"open\r\n",
        "Idempotency-Key: a, b\r\n",
        "Idempotency-Key: a\r\nIdempotency-Key: a\r\n",
        "Idempotency-Key: a\u0001b\r\n",
        "Idempotency-Key: \"a\u0000b\"\r\n",
        "Idempotency-Key: \"a\u007fb\"\r\n",
        "Idempotency-Key: schl\u00fcssel\r\n",
        "Idempotency-Key: \"\u00c3\u00bc\"\r\n",
        "Idempotency-Key: ../../etc/passwd;x\r\n",
      })
  void aHostileKeyIsRefused(String line) throws Exception {
    Web web = shop();
    assertThat(web.sendRaw(line, "")).startsWith("HTTP/1.1 400 ");
    assertThat(orders).hasValue(0);
  }

  @Test
  void aKeyThatIsTooLongIsRefused() throws Exception {
    Web web = shop();
    HttpResponse<String> refused = web.sendPost("/a", "k".repeat(256), "");
    assertProblem(refused, 400, "key-invalid");
    assertThat(refused.body()).contains("256").doesNotContain("kkkk");
    assertThat(web.sendPost("/a", "k".repeat(255), "").statusCode()).isEqualTo(201);
    assertThat(web.sendPost("/a", "\"%/#';--<script>\"", "").statusCode()).isEqualTo(201);
  }

  // ---- what is the same request

  @Test
  void anotherRequestWithTheKeyIsRefused() throws Exception {
    Web web = shop();
    web.sendPost("/a?x=1", "k", "body");
    assertProblem(web.sendPost("/a?x=1", "k", "body2"), 422, "key-reused");
    assertProblem(web.sendPost("/a?x=2", "k", "body"), 422, "key-reused");
    assertProblem(web.sendPost("/a", "k", "x=1body"), 422, "key-reused");
    assertProblem(web.sendPost("/b?x=1", "k", "body"), 422, "key-reused");
    HttpRequest.Builder patch = web.post("/a?x=1", "k", "");
    assertProblem(
        web.send(patch.method("PATCH", BodyPublishers.ofString("body"))), 422, "key-reused");
    assertReplayed(web.sendPost("/a?x=1", "k", "body"), true);
    assertThat(orders).hasValue(1);
  }

  @Test
  void aUserNeverReadsTheResponseOfAnother() throws Exception {
    Web web =
        web(
            (request, response) ->
                response.getWriter().print("for " + request.getUserPrincipal().getName()));
    assertThat(web.sendPost("/a", "k", "x").body()).isEqualTo("for alice");
    HttpResponse<String> bob = web.send(web.post("/a", "k", "x").setHeader("X-User", "bob"));
    assertThat(bob.body()).isEqualTo("for bob");
    assertReplayed(bob, false);
    assertThat(web.calls).hasValue(2);
  }

  @Test
  void aCallerWhoIsNotKnownIsRefusedUntilTheFilterIsTold() throws Exception {
    Web web = shop();
    HttpRequest.Builder anonymous =
        HttpRequest.newBuilder(web.uri("/a"))
            .header("Idempotency-Key", "k")
            .POST(BodyPublishers.ofString(""));
    assertProblem(web.send(anonymous), 403, "caller-unknown");
    assertThat(orders).hasValue(0);
    Web open = opened(new Web(filter().principal(request -> ""), (in, out) -> order(out)));
    anonymous.uri(open.uri("/a"));
    assertThat(open.send(anonymous).statusCode()).isEqualTo(201);
    assertReplayed(open.send(anonymous), true);
  }

  // ---- two at a time

  @Test
  void aTwinIsToldToComeBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Web web =
        web(
            (request, response) -> {
              awaitQuietly(go);
              order(response);
            });
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Future<HttpResponse<String>> first = pool.submit(() -> web.sendPost("/a", "k", ""));
      await().until(() -> web.calls.get() == 1);
      HttpResponse<String> twin = web.sendPost("/a", "k", "");
      assertProblem(twin, 409, "running");
      assertThat(twin.headers().firstValue("Retry-After")).hasValue("1");
      go.countDown();
      assertThat(first.get(60, SECONDS).statusCode()).isEqualTo(201);
      assertReplayed(web.sendPost("/a", "k", ""), true);
    } finally {
      go.countDown();
      pool.shutdown();
    }
    assertThat(orders).hasValue(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void of64AtOnceOneIsProcessedAndTheOthersAreToldToComeBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Web web =
        web(
            (request, response) -> {
              awaitQuietly(go);
              order(response);
            });
    List<HttpResponse<String>> answers = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(64);
    try {
      List<Future<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        all.add(pool.submit(() -> web.sendPost("/a", "k", "x")));
      }
      await().until(() -> all.stream().filter(Future::isDone).count() == 63);
      go.countDown();
      for (Future<HttpResponse<String>> each : all) {
        answers.add(each.get(60, SECONDS));
      }
    } finally {
      go.countDown();
      pool.shutdown();
    }
    assertThat(orders).hasValue(1);
    assertThat(answers).filteredOn(each -> each.statusCode() == 201).hasSize(1);
    assertThat(answers)
        .filteredOn(each -> each.statusCode() == 409)
        .hasSize(63)
        .allSatisfy(each -> assertThat(each.headers().firstValue("Retry-After")).isPresent());
  }

  @Test
  void of64ThatWaitAllGetTheAnswerOfTheOne() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(64);
    Web web =
        opened(
            new Web(
                filter().whileRunning(WhileRunning.await(Duration.ofMinutes(1))),
                (in, out) -> {
                  awaitQuietly(go);
                  order(out);
                }));
    List<HttpResponse<String>> answers = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(64);
    try {
      List<Future<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        all.add(
            pool.submit(
                () -> {
                  sent.countDown();
                  return web.sendPost("/a", "k", "x");
                }));
      }
      awaitQuietly(sent);
      await().until(() -> web.calls.get() == 1);
      go.countDown();
      for (Future<HttpResponse<String>> each : all) {
        answers.add(each.get(60, SECONDS));
      }
    } finally {
      go.countDown();
      pool.shutdown();
    }
    assertThat(orders).hasValue(1);
    assertThat(answers)
        .hasSize(64)
        .allSatisfy(
            each -> {
              assertThat(each.statusCode()).isEqualTo(201);
              assertThat(each.body()).isEqualTo("order ü 1");
            });
    assertThat(answers)
        .filteredOn(each -> each.headers().firstValue("Idempotency-Replayed").isPresent())
        .hasSize(63);
  }

  // ---- what is kept

  @ParameterizedTest
  @ValueSource(ints = {408, 425, 429, 500, 503})
  void aResponseThatAsksForAnotherTryIsNotKept(int status) throws Exception {
    Web web =
        web(
            (request, response) -> {
              response.setStatus(status);
              response.getWriter().print("try " + orders.incrementAndGet());
            });
    HttpResponse<String> first = web.sendPost("/a", "k", "");
    HttpResponse<String> second = web.sendPost("/a", "k", "");
    assertThat(List.of(first.statusCode(), second.statusCode())).containsOnly(status);
    assertThat(first.body()).isEqualTo("try 1");
    assertThat(second.body()).isEqualTo("try 2");
    assertReplayed(second, false);
  }

  @Test
  void aServerErrorIsKeptIfThatIsAskedFor() throws Exception {
    Web web =
        opened(
            new Web(
                filter().keepStatus(status -> true),
                (in, out) -> out.sendError(503, "try " + orders.incrementAndGet())));
    web.sendPost("/a", "k", "");
    HttpResponse<String> second = web.sendPost("/a", "k", "");
    assertThat(second.statusCode()).isEqualTo(503);
    assertThat(second.body()).contains("try 1");
    assertReplayed(second, true);
  }

  @Test
  void anExceptionGivesTheKeyBack() throws Exception {
    Web web =
        web(
            (request, response) -> {
              if (orders.incrementAndGet() == 1) {
                response.getWriter().print("half of it");
                throw new ServletException("gateway");
              }
              response.getWriter().print("done");
            });
    HttpResponse<String> first = web.sendPost("/a", "k", "");
    assertThat(first.statusCode()).isEqualTo(500);
    assertThat(first.body()).doesNotContain("half of it");
    assertThat(web.sendPost("/a", "k", "").body()).isEqualTo("done");
    assertReplayed(web.sendPost("/a", "k", ""), true);
  }

  @Test
  void anErrorLeavesAnUnknownOutcome() throws Exception {
    Web web =
        web(
            (request, response) -> {
              throw new StackOverflowError();
            });
    assertThat(web.sendPost("/a", "k", "").statusCode()).isEqualTo(500);
    assertProblem(web.sendPost("/a", "k", ""), 409, "outcome-unknown");
    assertThat(web.sendPost("/a", "k", "").headers().firstValue("Retry-After")).isEmpty();
    assertThat(web.calls).hasValue(1);
  }

  @Test
  void anExceptionIsReplayedWithoutWhatItSays() throws Exception {
    Web web =
        opened(
            new Web(
                filter().afterException(thrown -> AfterException.REPLAY),
                (in, out) -> {
                  throw new ServletException("secret of the gateway");
                }));
    web.sendPost("/a", "k", "");
    HttpResponse<String> second = web.sendPost("/a", "k", "");
    assertProblem(second, 500, "failed-before");
    assertReplayed(second, true);
    assertThat(second.body()).doesNotContain("secret");
    assertThat(web.calls).hasValue(1);
  }

  // ---- sizes

  @Test
  void aBodyOverTheCapIsRefusedBeforeAnythingIsDone() throws Exception {
    Web web =
        opened(
            new Web(
                filter().maxRequest(10),
                (in, out) -> out.getOutputStream().write(in.getInputStream().readAllBytes())));
    assertProblem(web.sendPost("/a", "k", "12345678901"), 413, "body-too-large");
    HttpRequest.Builder chunked =
        web.post("/a", "k", "")
            .POST(
                BodyPublishers.ofInputStream(
                    () ->
                        new ByteArrayInputStream("12345678901".getBytes(StandardCharsets.UTF_8))));
    assertProblem(web.send(chunked), 413, "body-too-large");
    assertThat(web.calls).hasValue(0);
    assertThat(web.sendPost("/a", "k", "1234567890").body()).isEqualTo("1234567890");
  }

  @Test
  void aResponseOverTheCapIsSentOnceAndNotMadeAgain() throws Exception {
    Web web =
        opened(
            new Web(
                filter().maxResponse(10),
                (in, out) -> {
                  orders.incrementAndGet();
                  out.getWriter().print("12345");
                  out.getWriter().print("678901234567890");
                }));
    HttpResponse<String> first = web.sendPost("/a", "k", "");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("12345678901234567890");
    HttpResponse<String> second = web.sendPost("/a", "k", "");
    assertProblem(second, 409, "response-not-kept");
    assertReplayed(second, true);
    assertThat(orders).hasValue(1);
  }

  @Test
  void aResponseThatTheStoreDoesNotKeepIsNotMadeAgainEither() throws Exception {
    Idempotency small =
        opened(Idempotency.builder(IdempotencyStores.inMemory()).maxResult(100).build());
    Web web =
        opened(new Web(Web.filter(small), (in, out) -> out.getWriter().print("x".repeat(99))));
    assertThat(web.sendPost("/a", "k", "").body()).hasSize(99);
    assertProblem(web.sendPost("/a", "k", ""), 409, "response-not-kept");
    assertThat(web.calls).hasValue(1);
  }

  // ---- streams

  static Map<String, Web.App> streams() {
    return Map.of(
        "flush, then more",
        (request, response) -> {
          response.getOutputStream().print("a");
          response.getOutputStream().flush();
          response.getOutputStream().print("b");
        },
        "flush of the writer, then more, and the exception is swallowed",
        (request, response) -> {
          try {
            response.getWriter().print("a");
            response.flushBuffer();
            response.getWriter().print("b");
          } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("flushed before its end");
          }
        },
        "startAsync",
        (request, response) -> request.startAsync(),
        "startAsync with both",
        (request, response) -> request.startAsync(request, response),
        "write listener",
        (request, response) ->
            response
                .getOutputStream()
                .setWriteListener(
                    new WriteListener() {
                      @Override
                      public void onWritePossible() {}

                      @Override
                      public void onError(Throwable thrown) {}
                    }),
        "read listener",
        (request, response) -> request.getInputStream().setReadListener(null),
        "upgrade",
        (request, response) -> request.upgrade(HttpUpgradeHandler.class),
        "sendfile",
        (request, response) ->
            request.setAttribute("org.apache.tomcat.sendfile.filename", "/etc/passwd"),
        "trailers",
        (request, response) -> response.setTrailerFields(Map::of));
  }

  static List<String> streamNames() {
    return List.copyOf(streams().keySet());
  }

  @ParameterizedTest
  @MethodSource("streamNames")
  void aStreamIsRefused(String name) throws Exception {
    Web web = web(streams().get(name));
    HttpResponse<String> first = web.sendPost("/a", "k", "");
    assertProblem(first, 500, "streaming");
    HttpResponse<String> second = web.sendPost("/a", "k", "");
    assertProblem(second, 409, "outcome-unknown");
    assertThat(web.calls).hasValue(1);
  }

  @Test
  void aRequestWithoutAKeyMayStream() throws Exception {
    Web web = web(streams().get("flush, then more"));
    assertThat(web.sendPost("/a", null, "").body()).isEqualTo("ab");
  }

  @Test
  void aFlushAtTheEndIsNoStream() throws Exception {
    Web web =
        web(
            (request, response) -> {
              response.getOutputStream().print("a");
              response.getOutputStream().flush();
              response.flushBuffer();
              assertThat(response.isCommitted()).isTrue();
              response.getOutputStream().close();
            });
    assertThat(web.sendPost("/a", "k", "").body()).isEqualTo("a");
    assertReplayed(web.sendPost("/a", "k", ""), true);
  }

  // ---- bodies

  @Test
  void theApplicationReadsTheBodyAgain() throws Exception {
    Web web =
        web(
            (request, response) -> {
              response.setContentType("text/plain;charset=utf-8");
              if (request.getRequestURI().equals("/reader")) {
                response.getWriter().print(request.getReader().readLine());
              } else {
                response
                    .getWriter()
                    .print(
                        String.join(",", request.getParameterValues("a"))
                            + request.getParameter("b")
                            + request.getParameter("c"));
              }
            });
    HttpRequest.Builder form =
        web.post("/form?a=0", "k1", "a=1&a=%C3%BC+x&b=2")
            .header("Content-Type", "application/x-www-form-urlencoded");
    assertThat(web.send(form).body()).isEqualTo("0,1,ü x2null");
    HttpRequest.Builder text =
        web.post("/reader", "k2", "grüße").header("Content-Type", "text/plain;charset=utf-8");
    assertThat(web.send(text).body()).isEqualTo("grüße");
    HttpRequest.Builder malformed =
        web.post("/form", "k3", "a=%zz")
            .header("Content-Type", "application/x-www-form-urlencoded;charset=utf-8");
    assertProblem(web.send(malformed), 400, "body-malformed");
    HttpRequest.Builder parts =
        web.post("/form", "k4", "--x--").header("Content-Type", "multipart/form-data;boundary=x");
    assertProblem(web.send(parts), 415, "multipart");
    assertThat(web.calls).hasValue(2);
  }

  @Test
  void aBodyThatWasReadBeforeTheFilterIsRefusedAndAFormThatWasReadCounts() throws Exception {
    Filter reads =
        (request, response, chain) -> {
          if ("application/x-www-form-urlencoded".equals(request.getContentType())) {
            request.getParameter("a");
          } else {
            request.getInputStream().readAllBytes();
          }
          chain.doFilter(request, response);
        };
    Web web =
        opened(
            new Web(
                filter(), reads, (in, out) -> out.getWriter().print("a=" + in.getParameter("a"))));
    assertProblem(web.sendPost("/a", "k1", "{}"), 500, "body-consumed");
    assertThat(web.calls).hasValue(0);
    for (String[] each : new String[][] {{"a=1", "200"}, {"a=1", "200"}, {"a=2", "422"}}) {
      HttpRequest.Builder form =
          web.post("/a", "k2", each[0]).header("Content-Type", "application/x-www-form-urlencoded");
      assertThat(web.send(form).statusCode()).isEqualTo(Integer.parseInt(each[1]));
    }
    assertThat(web.calls).hasValue(1);
  }

  // ---- the store

  @Test
  void nothingIsDoneWhereTheStoreDoesNotAnswer() throws Exception {
    Idempotency down =
        opened(
            Idempotency.builder(
                    TestStore.with(
                        (verb, request) -> {
                          if (verb.equals("claim")) {
                            throw new StoreException(Failure.UNAVAILABLE, "secret address", null);
                          }
                          return request.call();
                        }))
                .build());
    Web web = opened(new Web(Web.filter(down), (in, out) -> order(out)));
    HttpResponse<String> refused = web.sendPost("/a", "k", "");
    assertProblem(refused, 503, "store-unavailable");
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(refused.body()).doesNotContain("secret");
    assertThat(orders).hasValue(0);
  }

  @Test
  void anExceptionOfTheApplicationsOwnStoreIsNotTakenForOurs() throws Exception {
    Web web =
        web(
            (request, response) -> {
              throw new StoreException(Failure.UNAVAILABLE, "a lock of the application", null);
            });
    HttpResponse<String> answer = web.sendPost("/a", "k", "");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("store-unavailable");
  }

  @Test
  void aResponseIsStoredAfterTheApplicationReturnedAndSentAfterThat() throws Exception {
    List<String> events = new java.util.concurrent.CopyOnWriteArrayList<>();
    CountDownLatch store = new CountDownLatch(1);
    Idempotency idempotency =
        opened(
            Idempotency.builder(
                    TestStore.with(
                        (verb, request) -> {
                          events.add(verb);
                          if (verb.equals("complete")) {
                            awaitQuietly(store);
                          }
                          return request.call();
                        }))
                .build());
    Web web =
        opened(
            new Web(
                Web.filter(idempotency),
                (in, out) -> {
                  order(out);
                  out.flushBuffer();
                  events.add("returned");
                }));
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Future<HttpResponse<String>> answer = pool.submit(() -> web.sendPost("/a", "k", ""));
      await().until(() -> events.contains("complete"));
      assertThat(events).containsExactly("claim", "returned", "complete");
      // Nothing has reached the client: a second of silence would prove no more than its state
      assertThat(answer.isDone()).isFalse();
      store.countDown();
      assertThat(answer.get(60, SECONDS).statusCode()).isEqualTo(201);
    } finally {
      store.countDown();
      pool.shutdown();
    }
  }

  @Test
  void aResponseThatCannotBeStoredIsSentAndItsOutcomeIsUnknownFromThenOn() throws Exception {
    Idempotency idempotency =
        opened(
            Idempotency.builder(
                    TestStore.with(
                        (verb, request) -> {
                          if (verb.equals("complete")) {
                            throw new StoreException(Failure.REFUSED, "read-only", null);
                          }
                          return request.call();
                        }))
                .claimLife(Duration.ofMillis(300))
                .build());
    Web web = opened(new Web(Web.filter(idempotency), (in, out) -> order(out)));
    assertThat(web.sendPost("/a", "k", "").body()).isEqualTo("order ü 1");
    await().untilAsserted(() -> assertProblem(web.sendPost("/a", "k", ""), 409, "outcome-unknown"));
    assertThat(orders).hasValue(1);
  }

  @Test
  void whatAStaleCallerMadeIsNotSent() throws Exception {
    Idempotency idempotency =
        opened(
            Idempotency.builder(
                    TestStore.with(
                        (verb, request) -> verb.equals("complete") ? false : request.call()))
                .build());
    Web web = opened(new Web(Web.filter(idempotency), (in, out) -> order(out)));
    HttpResponse<String> stale = web.sendPost("/a", "k", "");
    assertProblem(stale, 409, "running");
    assertThat(stale.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(stale.headers().firstValue("Location")).isEmpty();
  }

  @Test
  void theApplicationSeesItsClaim() throws Exception {
    Web web =
        web(
            (request, response) ->
                response
                    .getWriter()
                    .print(IdempotencyFilter.claim(request).map(claim -> claim.token() > 0)));
    assertThat(web.sendPost("/a", "k", "").body()).isEqualTo("Optional[true]");
    assertThat(web.sendPost("/a", null, "").body()).isEqualTo("Optional.empty");
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }
}
