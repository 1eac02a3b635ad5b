package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** In whose course a lock was taken is shown with its holder. */
@Timeout(90)
class TraceIdTest {
  @RegisterExtension final Engines engines = new Engines();

  private final ThreadLocal<String> current = new ThreadLocal<>();

  @AfterEach
  void forget() {
    current.remove();
  }

  private static String holder(Engine client, String name) {
    return client.lock(name).inspect().orElseThrow().holders().get(0).holder();
  }

  @Test
  void itIsThatOfTheThreadThatAsked() throws Exception {
    Engine client = engines.client(b -> b.traceId(current::get));
    Lease without = client.lock("without").acquire();
    current.set("4bf92f3577b34da6");
    Lease waited = client.lock("waited").acquire();
    CompletableFuture<Lease> later =
        client
            .lock("waited")
            .with(LockOptions.defaults().fair())
            .acquireAsync(Duration.ofSeconds(30));
    current.set("another");
    assertThat(holder(client, "without")).doesNotContain("trace");
    assertThat(holder(client, "waited")).endsWith(" trace 4bf92f3577b34da6");
    await()
        .untilAsserted(
            () ->
                assertThat(client.lock("waited").inspect().orElseThrow().waiters())
                    .singleElement()
                    .matches(waiter -> waiter.holder().endsWith("/async trace 4bf92f3577b34da6")));
    waited.release();
    later.get(10, TimeUnit.SECONDS).release();
    without.release();
  }

  @Test
  void itIsOneShortLine() throws Exception {
    Engine client = engines.client(b -> b.traceId(current::get));
    current.set("two\nlines\u0000" + "x".repeat(100) + "\ud800");
    Lease lease = client.lock("n").acquire();
    assertThat(holder(client, "n")).endsWith(" trace two?lines?" + "x".repeat(54));
    lease.release();
    current.set("");
    try (Lease next = client.lock("n").acquire()) {
      assertThat(holder(client, next.name())).doesNotContain("trace");
    }
  }

  @Test
  void whatFailsHarmsNobody() throws Exception {
    Engine client =
        engines.client(
            b ->
                b.traceId(
                    () -> {
                      throw new IllegalStateException("no tracer");
                    }));
    try (Lease lease = client.lock("n").acquire()) {
      assertThat(holder(client, lease.name())).doesNotContain("trace");
    }
    await().until(() -> client.lock("n").inspect().isEmpty());
  }

  // ---- the thread's part

  private static String holderOf(Engine client, String thread) throws Exception {
    CompletableFuture<String> holder = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try (Lease lease = client.lock("n").acquire()) {
                holder.complete(holder(client, lease.name()));
              } catch (InterruptedException | RuntimeException e) {
                holder.completeExceptionally(e);
              }
            },
            thread);
    caller.start();
    return holder.get(10, TimeUnit.SECONDS).replace("" + caller.getId(), "ID");
  }

  /** As virtual threads are. */
  @Test
  void aThreadWithoutANameHasANumber() throws Exception {
    assertThat(holderOf(engines.client(), "")).matches("[^/]+/[^/]+/#ID");
  }

  /** So that every store can keep it. */
  @Test
  void aThreadsNameIsBoundedAndOneLine() throws Exception {
    Engine client = engines.client();
    assertThat(holderOf(client, "x".repeat(10_000))).endsWith("/" + "x".repeat(128));
    assertThat(holderOf(client, "two\nlines\u0000")).endsWith("/two?lines?");
    assertThat(holderOf(client, "\ud83d\ude00".repeat(200)))
        .endsWith("/" + "\ud83d\ude00".repeat(128));
    assertThat(holderOf(client, "\ude00half\ud83d")).endsWith("/?half?");
  }

  /** More threads than texts that are kept, and one that is renamed. */
  @Test
  void eachThreadHasItsOwnName() throws Exception {
    Engine client = engines.client();
    for (int i = 0; i < 150; i++) {
      assertThat(holderOf(client, "worker " + i)).endsWith("/worker " + i);
    }
    String name = Thread.currentThread().getName();
    try {
      for (String now : List.of("before", "after")) {
        Thread.currentThread().setName(now);
        try (Lease lease = client.lock("n").acquire()) {
          assertThat(holder(client, lease.name())).endsWith("/" + now);
        }
      }
    } finally {
      Thread.currentThread().setName(name);
    }
  }
}
