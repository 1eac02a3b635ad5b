package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.SqlServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clock of the server is set while work runs. */
class ClaimClockStepTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Fingerprint PRINT = Fingerprint.of("body");

  enum Kind {
    POSTGRESQL,
    REDIS
  }

  /** A server whose clock can be set. */
  private interface Server extends AutoCloseable {
    String url();

    void step(Duration step);

    @Override
    void close();
  }

  private static Server server(Kind kind) {
    if (kind == Kind.REDIS) {
      RedisServer server = RedisServer.of(RedisServer.Kind.REDIS_7_0).withSteppableClock().start();
      return of(server.url(), server::stepClock, server::close);
    }
    SqlServer server = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).withSteppableClock().start();
    return of(
        server.jdbcUrl() + (server.jdbcUrl().contains("?") ? "&" : "?") + "ddl=create",
        server::stepClock,
        server::close);
  }

  private interface Step {
    void by(Duration step);
  }

  private static Server of(String url, Step step, Runnable close) {
    return new Server() {
      @Override
      public String url() {
        return url;
      }

      @Override
      public void step(Duration by) {
        step.by(by);
      }

      @Override
      public void close() {
        close.run();
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsDoneTwiceThatWasNotAskedFor(Kind kind) {
    try (Server server = server(kind);
        Idempotency idempotency = Idempotency.connect(server.url())) {
      IdempotentOperation<String> operation = idempotency.operation("op", Codec.TEXT);
      // Forwards: the claim lapses while its work runs, and no other caller takes it over
      String first =
          operation.execute(
              Key.of("a"),
              PRINT,
              claim -> {
                server.step(MINUTE);
                assertThatThrownBy(() -> operation.execute(Key.of("a"), PRINT, c -> "twice"))
                    .isInstanceOf(UnknownOutcomeException.class);
                return "once";
              });
      assertThat(first).isEqualTo("once");
      // Forwards, and it is taken over
      assertThatThrownBy(
              () ->
                  operation.execute(
                      Key.of("b"),
                      PRINT,
                      claim -> {
                        server.step(MINUTE);
                        return operation
                            .onUnknown(OnUnknown.RETRY)
                            .execute(Key.of("b"), PRINT, next -> later(claim, next));
                      }))
          .isInstanceOf(StaleClaimException.class);
      // Backwards: results stay, claims live for longer, and tokens rise
      server.step(MINUTE.multipliedBy(-3));
      assertThat(operation.execute(Key.of("a"), PRINT, c -> "twice")).isEqualTo("once");
      assertThat(operation.execute(Key.of("b"), PRINT, c -> "twice")).isEqualTo("later");
      long[] last = {0};
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(
                () ->
                    operation.execute(
                        Key.of("c"),
                        PRINT,
                        claim -> {
                          assertThat(claim.token()).isGreaterThan(last[0]);
                          last[0] = claim.token();
                          server.step(MINUTE.negated());
                          throw new IllegalStateException("give it back");
                        }))
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  private static String later(Claim claim, Claim next) {
    assertThat(next.token()).isGreaterThan(claim.token());
    return "later";
  }
}
