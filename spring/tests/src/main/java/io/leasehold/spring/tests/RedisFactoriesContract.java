package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockException;
import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisSentinels;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spring.Idempotent;
import io.leasehold.spring.autoconfigure.LeaseholdSettingsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The connection factories that Spring Boot makes for Redis: their settings are the store's. */
@Timeout(300)
public abstract class RedisFactoriesContract {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** With one of the two client libraries, and no option of its client. */
  private static ApplicationContextRunner with(String library, String... properties) {
    List<String> boot = new ArrayList<>(Line.here().redis());
    boot.addAll(Line.here().json());
    boot.add("org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration");
    return Contexts.with(boot)
        .withPropertyValues("spring.data.redis.client-type=" + library)
        .withPropertyValues(properties);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void ofOneServer(String library) {
    try (RedisServer server =
        RedisServer.of(Kind.VALKEY_8)
            .password("s3cret")
            .user("app", "one", "~* &* +@all")
            .start()) {
      with(
              library,
              "spring.data.redis.host=" + server.host(),
              "spring.data.redis.port=" + server.port(),
              "spring.data.redis.username=app",
              "spring.data.redis.password=one",
              "spring.data.redis.database=3")
          .withBean(Till.class)
          .run(
              context -> {
                LockClient locks = context.getBean(LockClient.class);
                requireExclusion(locks, server.url("app", "one") + "/3");
                requireResults(context.getBean(Till.class));
                assertThat((String) server.command("CLIENT", "LIST"))
                    .contains("user=app")
                    .contains("db=3");
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void ofSentinelsWhosePrimaryChanges(String library) {
    try (RedisSentinels fleet =
        RedisSentinels.of(Kind.REDIS_7_0).password("s3cret").sentinelPassword("wort").start()) {
      with(
              library,
              "spring.data.redis.sentinel.master=" + RedisSentinels.NAME,
              "spring.data.redis.sentinel.nodes=" + fleet.hosts(),
              "spring.data.redis.sentinel.password=wort",
              "spring.data.redis.password=s3cret",
              "spring.data.redis.database=3")
          .withBean(Till.class)
          .run(
              context -> {
                LockClient locks = context.getBean(LockClient.class);
                requireExclusion(locks, fleet.url() + "/3?sentinel-password=wort");
                requireResults(context.getBean(Till.class));
                fleet.failOver();
                requireLocksAt(fleet.primary(), locks);
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void ofACluster(String library) {
    try (RedisCluster cluster = RedisCluster.start(Kind.REDIS_7_0, 3)) {
      for (RedisServer node : cluster.nodes()) {
        assertThat(node.command("ACL", "SETUSER", "app", "on", ">one", "~*", "&*", "+@all"))
            .isEqualTo("OK");
      }
      ApplicationContextRunner contexts =
          with(
              library,
              "spring.data.redis.cluster.nodes="
                  + cluster.primaries().stream()
                      .map(each -> each.host() + ":" + each.port())
                      .collect(Collectors.joining(",")),
              "spring.data.redis.username=app",
              "spring.data.redis.password=one");
      contexts.run(
          context -> {
            LockClient locks = context.getBean(LockClient.class);
            for (int i = 0; i < 20; i++) {
              locks.lock("name-" + i).acquire().release();
            }
            requireExclusion(locks, cluster.url());
            for (RedisServer node : cluster.primaries()) {
              assertThat((String) node.command("CLIENT", "LIST")).contains("user=app");
            }
          });
      contexts
          .withBean(Till.class)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .isInstanceOf(LeaseholdSettingsException.class)
                      .hasMessageContaining("cannot be kept in a Redis cluster"));
    }
  }

  /** With a client certificate. */
  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void ofAServerWithTls(String library) {
    try (RedisServer server = RedisServer.of(Kind.REDIS_7_0).tls().start()) {
      requireTls(
          server,
          with(
              library,
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + server.port()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void ofAClusterWithTls(String library) {
    try (RedisCluster cluster = RedisCluster.startWithTls(Kind.REDIS_7_0)) {
      RedisServer node = cluster.primaries().get(0);
      requireTls(node, with(library, "spring.data.redis.cluster.nodes=127.0.0.1:" + node.port()));
    }
  }

  private static void requireTls(RedisServer server, ApplicationContextRunner contexts) {
    Path certificate = server.caFile();
    Path key = certificate.resolveSibling("server.key");
    assertThat(server.command("CONFIG", "SET", "tls-auth-clients", "yes")).isEqualTo("OK");
    contexts
        .withPropertyValues(
            "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate,
            "spring.ssl.bundle.pem.redis.keystore.certificate=file:" + certificate,
            "spring.ssl.bundle.pem.redis.keystore.private-key=file:" + key,
            "spring.data.redis.ssl.bundle=redis")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              context.getBean(LockClient.class).lock("a").acquire().release();
            });
  }

  /** What was not replicated, and is forgotten, may be lost meanwhile. */
  private static void requireLocksAt(RedisServer primary, LockClient locks) {
    try (LockClient there = Leasehold.connect(primary.url() + "/3")) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsMatching(
              e -> e instanceof LockException || e instanceof LeaseLostException)
          .until(
              () -> {
                try (Lease held = locks.lock("b").acquire(PATIENCE)) {
                  return held.isHeld() && there.lock("b").isLocked();
                }
              });
    }
  }

  private static void requireExclusion(LockClient locks, String url) throws InterruptedException {
    try (Lease held = locks.lock("a").acquire();
        LockClient other = Leasehold.connect(url)) {
      assertThat(held.isHeld()).isTrue();
      assertThat(other.lock("a").isLocked()).isTrue();
    }
  }

  private static void requireResults(Till till) {
    assertThat(till.pay(1)).isEqualTo("payment 1");
    assertThat(till.pay(1)).isEqualTo("payment 1");
    assertThat(till.pay(2)).isEqualTo("payment 2");
  }

  /** Counts what it really does. */
  static class Till {
    private final AtomicInteger payments = new AtomicInteger();

    @Idempotent("#{#id}")
    public String pay(long id) {
      return "payment " + payments.incrementAndGet();
    }
  }
}
