package io.leasehold.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.ResultUnavailableException;
import io.leasehold.idempotency.UnknownOutcomeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both Jacksons write and read what the work yields, and say so where they cannot. */
class JacksonCodecTest {
  private static final Key KEY = Key.of("alice", "order-77");

  private final Idempotency idempotency = Idempotency.builder(IdempotencyStores.inMemory()).build();
  private final AtomicInteger runs = new AtomicInteger();

  /** What the work yields. */
  public record Receipt(String number, long cents) {}

  /** What no JSON can be made of. */
  public static final class Hidden {
    /** Fails. */
    public String getSecret() {
      throw new IllegalStateException("it is secret");
    }
  }

  @SuppressWarnings("ImmutableEnumChecker") // a mapper is configured once
  enum Jackson {
    TWO {
      private final com.fasterxml.jackson.databind.ObjectMapper mapper =
          new com.fasterxml.jackson.databind.ObjectMapper();

      @Override
      <T> Codec<T> codec(Class<T> type) {
        return Jackson2Codec.of(mapper, type);
      }

      @Override
      Codec<List<Receipt>> receipts() {
        return Jackson2Codec.of(mapper, new com.fasterxml.jackson.core.type.TypeReference<>() {});
      }
    },
    THREE {
      private final tools.jackson.databind.ObjectMapper mapper =
          new tools.jackson.databind.json.JsonMapper();

      @Override
      <T> Codec<T> codec(Class<T> type) {
        return Jackson3Codec.of(mapper, type);
      }

      @Override
      Codec<List<Receipt>> receipts() {
        return Jackson3Codec.of(mapper, new tools.jackson.core.type.TypeReference<>() {});
      }
    };

    abstract <T> Codec<T> codec(Class<T> type);

    abstract Codec<List<Receipt>> receipts();
  }

  @AfterEach
  void close() {
    idempotency.close();
  }

  private <T> T once(Codec<T> codec, T result) {
    IdempotentOperation<T> operation = idempotency.operation("charge", codec);
    return operation.execute(
        KEY,
        Fingerprint.none(),
        claim -> {
          runs.incrementAndGet();
          return result;
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatTheWorkYieldsIsReplayed(Jackson jackson) throws Exception {
    Codec<Receipt> codec = jackson.codec(Receipt.class);
    Receipt receipt = new Receipt("\u20ac 7", Long.MAX_VALUE);
    assertThat(once(codec, receipt)).isSameAs(receipt);
    assertThat(once(codec, new Receipt("another", 1))).isEqualTo(receipt).isNotSameAs(receipt);
    assertThat(runs).hasValue(1);
    assertThat(new String(codec.encode(receipt), StandardCharsets.UTF_8))
        .isEqualTo("{\"number\":\"\u20ac 7\",\"cents\":9223372036854775807}");
  }

  @ParameterizedTest
  @EnumSource
  void typesMayHaveParameters(Jackson jackson) {
    List<Receipt> receipts = List.of(new Receipt("a", 1), new Receipt("b", 2));
    once(jackson.receipts(), receipts);
    assertThat(once(jackson.receipts(), List.of())).isEqualTo(receipts);
  }

  /** One Jackson reads what the other wrote: an application may change over. */
  @Test
  void anApplicationMayChangeOver() {
    Receipt receipt = new Receipt("a", 1);
    once(Jackson.TWO.codec(Receipt.class), receipt);
    assertThat(once(Jackson.THREE.codec(Receipt.class), receipt)).isEqualTo(receipt);
    assertThat(runs).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeWrittenIsAnUnknownOutcome(Jackson jackson) {
    Codec<Hidden> codec = jackson.codec(Hidden.class);
    assertThatThrownBy(() -> once(codec, new Hidden()))
        .isInstanceOf(ResultUnavailableException.class)
        .hasMessageContaining("cannot write");
    assertThatThrownBy(() -> once(codec, new Hidden())).isInstanceOf(UnknownOutcomeException.class);
    assertThat(runs).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeReadIsNotDoneAgain(Jackson jackson) {
    once(Codec.TEXT, "no JSON");
    Codec<Receipt> codec = jackson.codec(Receipt.class);
    assertThatThrownBy(() -> once(codec, new Receipt("a", 1)))
        .isInstanceOf(ResultUnavailableException.class)
        .hasMessageContaining("cannot read");
    assertThat(runs).hasValue(1);
  }
}
