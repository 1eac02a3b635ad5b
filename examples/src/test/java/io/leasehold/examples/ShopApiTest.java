package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filter and the client of the example, with a file as store. */
class ShopApiTest {
  @TempDir Path folder;
  private final List<String> orders = new CopyOnWriteArrayList<>();

  private String book(String item) {
    orders.add(item);
    return Integer.toString(orders.size());
  }

  @Test
  void anOrderWhoseReplyIsLostIsBookedOnce() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (IdempotencyStore store = IdempotencyStores.open("file:" + folder.resolve("shop.db"));
        Idempotency idempotency = Idempotency.builder(store).build();
        Shop shop = new Shop(0, idempotency, store, new byte[32], this::book);
        FaultProxy proxy = FaultProxy.to("127.0.0.1", shop.port(), Framing.NONE)) {
      URI uri = URI.create("http://127.0.0.1:" + proxy.port() + "/");
      HttpClient client = HttpClient.newHttpClient();
      proxy.stall(Direction.TO_CLIENT);
      Future<HttpResponse<String>> answer = pool.submit(() -> Shop.order(client, uri, "book"));
      await().until(() -> orders.size() == 1);
      proxy.drop(Direction.TO_CLIENT);
      proxy.cutAll();
      proxy.heal();
      HttpResponse<String> second = answer.get(60, TimeUnit.SECONDS);
      assertThat(second.statusCode()).isEqualTo(201);
      assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
      assertThat(second.headers().firstValue("Location")).hasValue("/orders/1");
      assertThat(second.body()).isEqualTo("1");
      assertThat(Shop.order(client, uri, "book").body()).isEqualTo("2");
      HttpRequest without =
          HttpRequest.newBuilder(uri.resolve("/api/orders"))
              .POST(BodyPublishers.ofString("book"))
              .build();
      assertThat(client.send(without, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
    } finally {
      pool.shutdown();
    }
    assertThat(orders).hasSize(2);
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }
}
