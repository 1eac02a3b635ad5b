package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimelyOpeningTest {
  @Test
  void whatOpensTooLateIsClosed() throws Exception {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<String> driver = new CompletableFuture<>();
    CompletableFuture<String> closed = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                TimelyOpening.open(
                    new Threads(),
                    Duration.ofMillis(1),
                    () -> {
                      begun.complete(null);
                      return driver.join();
                    },
                    closed::complete,
                    late -> {
                      // What has not begun to open is never opened
                      begun.orTimeout(60, TimeUnit.SECONDS).join();
                      return new IllegalStateException("too late");
                    }))
        .hasMessage("too late");
    driver.complete("a store");
    assertThat(closed.get(60, TimeUnit.SECONDS)).isEqualTo("a store");
  }
}
