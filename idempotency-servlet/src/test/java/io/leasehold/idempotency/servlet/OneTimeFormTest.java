package io.leasehold.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.AlreadyRunningException;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.OneTimeTokens;
import io.leasehold.idempotency.TokenRefusedException;
import io.leasehold.idempotency.spi.IdempotencyStore;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OneTimeFormTest {
  private final AtomicInteger orders = new AtomicInteger();
  private final IdempotencyStore store = IdempotencyStores.inMemory();
  private final Idempotency idempotency = Idempotency.builder(store).build();
  private final OneTimeForm form =
      OneTimeForm.of(
          OneTimeTokens.on(store, List.of(new byte[32])),
          idempotency,
          "order",
          Duration.ofHours(1));
  private Web web;

  @BeforeEach
  void start() throws Exception {
    web = new Web(Web.filter(idempotency), this::post);
  }

  @AfterEach
  void stop() throws Exception {
    web.close();
    idempotency.close();
  }

  private void post(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String scope = "order:" + request.getUserPrincipal().getName();
    try {
      form.submit(
          request,
          response,
          scope,
          claim -> {
            int number = orders.incrementAndGet();
            if (number == 1 && request.getParameter("fails") != null) {
              throw new IllegalStateException("the gateway is down");
            }
            return "/orders/" + number;
          });
    } catch (TokenRefusedException e) {
      response.sendError(400, e.why().name());
    } catch (AlreadyRunningException e) {
      response.sendError(409, "running");
    }
  }

  private HttpResponse<String> submit(String user, String body) {
    HttpRequest.Builder request =
        web.post("/orders", null, "")
            .setHeader("X-User", user)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(body));
    return web.send(request);
  }

  private static String body(String token) {
    return OneTimeForm.FIELD + "=" + token;
  }

  @Test
  void everySubmissionOfATokenIsRedirectedToTheOneOrder() throws Exception {
    String token = form.issue("order:alice");
    assertThat(form.hiddenField(token))
        .isEqualTo("<input type=\"hidden\" name=\"one-time-token\" value=\"" + token + "\">");
    ExecutorService pool = Executors.newFixedThreadPool(16);
    List<Future<HttpResponse<String>>> answers = new ArrayList<>();
    try {
      for (int i = 0; i < 16; i++) {
        answers.add(pool.submit(() -> submit("alice", body(token))));
      }
      for (Future<HttpResponse<String>> each : answers) {
        HttpResponse<String> answer = each.get(60, TimeUnit.SECONDS);
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue("/orders/1");
      }
    } finally {
      pool.shutdown();
    }
    assertThat(orders).hasValue(1);
    assertThat(submit("alice", body(form.issue("order:alice"))).statusCode()).isEqualTo(303);
    assertThat(orders).hasValue(2);
  }

  @Test
  void aTokenThatIsMissingForgedOrAnothersDoesNothing() {
    String token = form.issue("order:alice");
    assertThat(submit("alice", "item=1").body()).contains("UNKNOWN");
    assertThat(submit("alice", body("forged")).body()).contains("UNKNOWN");
    assertThat(submit("alice", body("%F0%9F%98%80")).body()).contains("UNKNOWN");
    assertThat(submit("bob", body(token)).body()).contains("WRONG_SCOPE");
    assertThat(orders).hasValue(0);
  }

  @Test
  void aTokenWhoseWorkFailedCanBeUsedAgain() {
    String body = body(form.issue("order:alice")) + "&fails=1";
    assertThat(submit("alice", body).statusCode()).isEqualTo(500);
    assertThat(submit("alice", body).headers().firstValue("Location")).hasValue("/orders/2");
    assertThat(submit("alice", body).headers().firstValue("Location")).hasValue("/orders/2");
    assertThat(orders).hasValue(2);
  }
}
