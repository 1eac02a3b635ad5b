package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.RedisServer.Kind;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interrupt closes the socket that a virtual thread reads: so it reads none. */
@Tag("jdk")
class VirtualThreadsTest {
  @TempDir Path dir;

  enum Where {
    SQLITE,
    POSTGRESQL,
    MARIADB,
    REDIS
  }

  private String url(Where where) {
    return where == Where.REDIS
        ? RedisServers.url(Kind.REDIS_7_0)
        : Databases.valueOf(where.name()).storeUrl(dir, Databases.newTables());
  }

  @ParameterizedTest
  @EnumSource
  @EnabledForJreRange(min = JRE.JAVA_21)
  void anInterruptedVirtualThreadClaimsDoesTheWorkAndReplays(Where where) throws Exception {
    try (Idempotency idempotency = Idempotency.connect(url(where))) {
      FutureTask<Boolean> calls =
          new FutureTask<>(
              () -> {
                Thread caller = Thread.currentThread();
                caller.interrupt();
                String first =
                    idempotency.execute(
                        "key",
                        Fingerprint.none(),
                        claim -> "on its caller: " + Thread.currentThread().equals(caller));
                assertThat(first).isEqualTo("on its caller: true");
                assertThat(idempotency.execute("key", Fingerprint.none(), claim -> "again"))
                    .isEqualTo(first);
                return Thread.currentThread().isInterrupted();
              });
      Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
      start.invoke(null, calls);
      assertThat(calls.get(1, TimeUnit.MINUTES)).isTrue();
    }
  }
}
