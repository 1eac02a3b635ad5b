package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockTimeoutException;
import io.leasehold.servers.JavaProcess;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.SqlServer;
import io.leasehold.spring.autoconfigure.LockHealth;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application with PostgreSQL and Redis, as Spring Boot configures them, whose locks are in
 * either: the names of its beans for them are the parameters.
 */
public abstract class EndToEndContract {
  private static final String POOL = "dataSource";
  private static final String REDIS = "redisConnectionFactory";
  private static SqlServer postgresql;
  private static RedisServer redis;
  private static String database;
  private static ExecutorService threads;

  @BeforeAll
  static void start() {
    postgresql = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).start();
    redis = RedisServer.of(RedisServer.Kind.REDIS_7_0).start();
    database = postgresql.newDatabase();
    threads = Executors.newFixedThreadPool(16);
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    redis.close();
    postgresql.close();
  }

  @BeforeEach
  void emptyAccount() throws Exception {
    try (Connection connection = java.sql.DriverManager.getConnection(database);
        Statement statement = connection.createStatement()) {
      statement.execute("create table if not exists account (id int primary key, balance int)");
      statement.execute("delete from account");
      statement.execute("insert into account values (1, 0)");
    }
  }

  static ApplicationContextRunner contexts(String... properties) {
    List<String> boot = new ArrayList<>(Line.here().jdbc());
    boot.addAll(Line.here().redis());
    boot.addAll(Line.here().json());
    return Contexts.with(boot).withBean(Bank.class).withPropertyValues(properties);
  }

  private static String[] properties(String bean) {
    return new String[] {
      "spring.datasource.url=" + database,
      "spring.datasource.hikari.maximum-pool-size=20",
      "spring.data.redis.host=" + redis.host(),
      "spring.data.redis.port=" + redis.port(),
      "leasehold.create-tables=true",
      "leasehold.bean=" + bean
    };
  }

  private static void run(String bean, BiConsumer<Bank, TransactionTemplate> test) {
    contexts(properties(bean))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(
                  context.getBean(Bank.class),
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
            });
  }

  @Test
  void bothCouldBeMeant() {
    String[] none = properties(POOL);
    none[none.length - 1] = "a=b";
    contexts(none)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("'" + POOL + "'")
                    .hasMessageContaining("'" + REDIS + "'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void twoProcessesOf64ThreadsLoseNoUpdate(String bean) {
    int times = 2;
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(times)));
    arguments.addAll(List.of(properties(bean)));
    String[] all = arguments.toArray(new String[0]);
    try (JavaProcess one = JavaProcess.start(BankProcess.class, all)) {
      one.await("ready");
      try (JavaProcess two = JavaProcess.start(BankProcess.class, all)) {
        two.await("ready");
        one.say("go");
        two.say("go");
        one.await("done");
        two.await("done");
      }
    }
    run(
        bean,
        (bank, transactions) ->
            assertThat(bank.balance(1)).isEqualTo(2 * times * BankProcess.THREADS));
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void aLockInsideATransactionIsReleasedAfterTheCommit(String bean) {
    run(
        bean,
        (bank, transactions) -> {
          transactions.executeWithoutResult(
              status -> {
                bank.set(1, 5, null);
                bank.set(1, 7, null);
                // The method has returned, the transaction has not committed
                assertThatThrownBy(() -> elsewhere(() -> bank.read(1)))
                    .hasCauseInstanceOf(LockTimeoutException.class);
                assertThat(elsewhere(() -> bank.balance(1))).isZero();
              });
          assertThat(elsewhere(() -> bank.read(1))).isEqualTo(7);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void aRollBackReleasesTheLock(String bean) {
    run(
        bean,
        (bank, transactions) -> {
          transactions.executeWithoutResult(
              status -> {
                bank.set(1, 5, null);
                status.setRollbackOnly();
              });
          assertThat(elsewhere(() -> bank.read(1))).isZero();
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void aLeaseThatIsLostBeforeTheCommitMakesItFail(String bean) {
    contexts(properties(bean))
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              LockClient locks = context.getBean(LockClient.class);
              TransactionTemplate transactions =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              assertThatThrownBy(
                      () ->
                          transactions.executeWithoutResult(
                              status -> {
                                Lease lease = bank.set(1, 5, null);
                                assertThat(locks.lock("account:1").breakLease(lease.fencingToken()))
                                    .isTrue();
                                await().until(() -> !lease.isHeld());
                              }))
                  .isInstanceOf(LeaseLostException.class);
              assertThat(bank.balance(1)).isZero();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void theEndOfTheContextReleasesItsLocks(String bean) {
    contexts(properties(bean))
        .run(context -> context.getBean(LockClient.class).lock("held").acquire());
    try (LockClient next = Leasehold.connect(bean.equals(POOL) ? database : redis.url())) {
      assertThat(next.lock("held").tryAcquire()).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {POOL, REDIS})
  void twoInstancesPayOnce(String bean) {
    run(
        bean,
        (bank, transactions) ->
            run(
                bean,
                (other, ofOther) -> {
                  Set<String> answers =
                      IntStream.range(0, 16)
                          .mapToObj(i -> i % 2 == 0 ? bank : other)
                          .map(
                              each ->
                                  CompletableFuture.supplyAsync(() -> each.pay(bean, 1), threads))
                          .toList()
                          .stream()
                          .map(CompletableFuture::join)
                          .collect(Collectors.toSet());
                  assertThat(answers).containsExactly("paid 1");
                  assertThat(bank.balance(1)).isEqualTo(1);
                }));
  }

  @Test
  void aTransactionTakesTheResultInOnlyWhereItIsKept() {
    run(
        POOL,
        (bank, transactions) -> {
          transactions.executeWithoutResult(
              status -> {
                bank.pay("rolled back", 1);
                status.setRollbackOnly();
              });
          assertThat(bank.pay("rolled back", 1)).isEqualTo("paid 1");
        });
    run(
        REDIS,
        (bank, transactions) ->
            assertThatThrownBy(
                    () -> transactions.executeWithoutResult(status -> bank.pay("refused", 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Bank.pay"));
  }

  @Test
  void anAnnotationSendsNoMoreRequestsThanTheLock() {
    contexts(properties(REDIS))
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              DistributedLock lock = context.getBean(LockClient.class).lock("account:1");
              bank.read(1);
              long before = commands();
              for (int i = 0; i < 50; i++) {
                lock.withLock(lease -> {});
              }
              long plain = commands() - before;
              for (int i = 0; i < 50; i++) {
                bank.read(1);
              }
              long annotated = commands() - before - plain;
              // A few of other origin do not matter, one more for each call would
              assertThat(plain).isGreaterThanOrEqualTo(50);
              assertThat(annotated).isLessThan(plain + 25);
            });
  }

  /** How many commands Redis has run for its clients. */
  private static long commands() {
    return Long.parseLong(redis.info("stats").get("total_commands_processed"));
  }

  @Test
  void healthSaysForHowLongTheStoreIsDown() {
    contexts(properties(REDIS))
        .run(
            context -> {
              assertThat(context).hasBean("locksHealthIndicator");
              LockHealth health = context.getBean(LockHealth.class);
              assertThat(health.check().status()).isEqualTo("UP");
              redis.stop();
              assertThat(health.check().status()).isEqualTo("DOWN");
              assertThat(health.check().details()).containsKeys("downFor", "error");
              redis.start();
              await().until(() -> health.check().status().equals("UP"));
            });
  }

  private static int elsewhere(java.util.function.Supplier<Integer> work) {
    return CompletableFuture.supplyAsync(work).join();
  }
}
