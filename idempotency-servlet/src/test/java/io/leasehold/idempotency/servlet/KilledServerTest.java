package io.leasehold.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.OnUnknown;
import io.leasehold.idempotency.Reconciler.Finding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server is killed in the middle of a request, and another one gets the same request again. */
class KilledServerTest {
  @TempDir Path folder;

  private Path effects() {
    return folder.resolve("effects");
  }

  private List<String> lines() throws IOException {
    return Files.exists(effects()) ? Files.readAllLines(effects()) : List.of();
  }

  private static Idempotency idempotency(Path folder) {
    return Idempotency.builder(
            io.leasehold.idempotency.IdempotencyStores.open("file:" + folder.resolve("once.db")))
        .claimLife(Duration.ofSeconds(1))
        .build();
  }

  private static void order(Path effects) throws IOException {
    Files.writeString(effects, "an order\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Has its effect, says its port, and never ends. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    try (Idempotency idempotency = idempotency(folder);
        Web web =
            new Web(
                Web.filter(idempotency),
                (request, response) -> {
                  order(folder.resolve("effects"));
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                })) {
      System.out.println(web.port());
      new CountDownLatch(1).await();
    }
  }

  private void killInTheMiddle() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                KilledServerTest.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String port = out.readLine();
      CompletableFuture<?> answer =
          HttpClient.newHttpClient()
              .sendAsync(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders"))
                      .header("X-User", "alice")
                      .header("Idempotency-Key", "k")
                      .POST(BodyPublishers.ofString("book"))
                      .build(),
                  BodyHandlers.ofString());
      await().until(() -> lines().size() == 1);
      process.destroyForcibly().onExit().join();
      await().until(answer::isCompletedExceptionally);
    } finally {
      process.destroyForcibly().onExit().join();
    }
  }

  private Web survivor(IdempotencyFilter.Builder filter) throws Exception {
    return new Web(
        filter,
        (request, response) -> {
          order(effects());
          response.setStatus(201);
        });
  }

  private static int settled(Web web) {
    int[] status = new int[1];
    await()
        .until(
            () -> {
              var answer = web.sendPost("/orders", "k", "book");
              status[0] = answer.statusCode();
              return answer.headers().firstValue("Retry-After").isEmpty();
            });
    return status[0];
  }

  @Test
  void theOutcomeIsUnknown() throws Exception {
    killInTheMiddle();
    try (Idempotency idempotency = idempotency(folder);
        Web web = survivor(Web.filter(idempotency))) {
      assertThat(settled(web)).isEqualTo(409);
      assertThat(web.sendPost("/orders", "k", "book").body())
          .contains("urn:leasehold:idempotency:outcome-unknown");
      assertThat(web.sendPost("/orders", "k", "another book").statusCode()).isEqualTo(422);
      assertThat(lines()).hasSize(1);
    }
  }

  @Test
  void itIsReconciled() throws Exception {
    killInTheMiddle();
    try (Idempotency idempotency = idempotency(folder);
        Web unclear =
            survivor(Web.filter(idempotency).reconcile((request, claim) -> Finding.unclear()));
        Web web =
            survivor(
                Web.filter(idempotency)
                    .reconcile(
                        (request, claim) ->
                            Finding.done(
                                StoredResponse.of(
                                    200,
                                    Map.of("Location", "/orders/1"),
                                    request.getInputStream().readAllBytes()))));
        Web retries = survivor(Web.filter(idempotency).onUnknown(OnUnknown.RETRY))) {
      assertThat(settled(unclear)).isEqualTo(409);
      assertThat(settled(web)).isEqualTo(200);
      var answer = web.sendPost("/orders", "k", "book");
      assertThat(answer.body()).isEqualTo("book");
      assertThat(answer.headers().firstValue("Location")).hasValue("/orders/1");
      assertThat(answer.headers().firstValue("Idempotency-Replayed")).hasValue("true");
      assertThat(settled(retries)).isEqualTo(200);
      assertThat(lines()).hasSize(1);
    }
  }

  @Test
  void itIsProcessedAgainWhereThatIsAskedFor() throws Exception {
    killInTheMiddle();
    try (Idempotency idempotency = idempotency(folder);
        Web web = survivor(Web.filter(idempotency).onUnknown(OnUnknown.RETRY))) {
      assertThat(settled(web)).isEqualTo(201);
      assertThat(settled(web)).isEqualTo(201);
      assertThat(lines()).hasSize(2);
    }
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }
}
