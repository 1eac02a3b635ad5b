package io.leasehold.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockHealthTest {
  @Test
  void isDegradedWhileALeaseIsInJeopardy() {
    try (LockClient locks = Leasehold.builder(new InMemoryServer()).build();
        LockHealth health = new LockHealth(locks)) {
      for (LockEvent end :
          List.of(
              new LockEvent.Renewed("x", "id", Duration.ofSeconds(3)),
              new LockEvent.Released("x", "id", 1, Duration.ofSeconds(3)),
              new LockEvent.Lost("x", "id", 1, Reason.EXPIRED))) {
        health.on(new LockEvent.Jeopardy("x", "id", 1, Duration.ofSeconds(3)));
        assertThat(health.check().status()).isEqualTo("DEGRADED");
        assertThat(health.check().details()).containsEntry("inJeopardy", 1);
        health.on(end);
        assertThat(health.check().status()).isEqualTo("UP");
      }
    }
  }
}
