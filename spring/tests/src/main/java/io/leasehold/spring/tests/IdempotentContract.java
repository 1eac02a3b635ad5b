package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.AlreadyRunningException;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.FingerprintMismatchException;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.UnknownOutcomeException;
import io.leasehold.idempotency.WhileRunning;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spring.Idempotent;
import io.leasehold.spring.InvalidAnnotationException;
import io.leasehold.spring.Locked;
import io.leasehold.testkit.InMemoryServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@link Idempotent} promises, in memory and on H2. */
public abstract class IdempotentContract {
  private static ApplicationContextRunner inMemory() {
    return Contexts.with(Line.here().json()).withUserConfiguration(InMemory.class);
  }

  private static void run(BiConsumer<Work, Switch> test) {
    inMemory()
        .withBean(Work.class)
        .withPropertyValues("app.keep=1h")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(context.getBean(Work.class), context.getBean(Switch.class));
            });
  }

  @Test
  void aSecondCallReturnsTheResultOfTheFirst() {
    run(
        (work, store) -> {
          Receipt first = work.charge(new Order("7", 100), null);
          assertThat(first.token()).isPositive();
          assertThat(work.charge(new Order("7", 100), null)).isEqualTo(first);
          assertThat(work.charge(new Order("8", 100), null)).isNotEqualTo(first);
          assertThat(work.runs()).isEqualTo(2);
        });
  }

  @Test
  void everyKindOfResultIsReplayed() {
    run(
        (work, store) -> {
          for (int i = 0; i < 2; i++) {
            work.nothing("k");
            assertThat(work.number("k")).isEqualTo(7);
            assertThat(work.text("k")).isEmpty();
            assertThat(work.none("k")).isNull();
            assertThat(work.maybe("k")).contains("there");
            assertThat(work.list("k")).containsExactly(new Order("a", 1));
          }
          assertThat(work.runs()).isEqualTo(6);
        });
  }

  @Test
  void callersHaveTheirOwnKeysAndAKeyHasOneRequest() {
    run(
        (work, store) -> {
          assertThat(work.of("alice", "k", "a")).isEqualTo("alice a");
          assertThat(work.of("bob", "k", "b")).isEqualTo("bob b");
          assertThatThrownBy(() -> work.of("bob", "k", "c"))
              .isInstanceOf(FingerprintMismatchException.class);
          assertThatThrownBy(() -> work.of("bob", null, "c"))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("#{#key}");
          assertThat(work.runs()).isEqualTo(2);
        });
  }

  @Test
  void aStoreThatIsDownKeepsTheWorkFromRunning() {
    run(
        (work, store) -> {
          store.down = true;
          assertThatThrownBy(() -> work.nothing("k")).isInstanceOf(StoreException.class);
          assertThat(work.runs()).isZero();
          store.down = false;
          work.nothing("k");
          assertThat(work.runs()).isEqualTo(1);
        });
  }

  @Test
  void anExceptionFreesTheKeyUnlessTheMethodSaysOtherwise() {
    run(
        (work, store) -> {
          assertThatThrownBy(() -> work.fails("k")).isExactlyInstanceOf(IOException.class);
          assertThatThrownBy(() -> work.fails("k")).isExactlyInstanceOf(IOException.class);
          assertThatThrownBy(() -> work.failsHalfway("k")).isExactlyInstanceOf(IOException.class);
          assertThatThrownBy(() -> work.failsHalfway("k"))
              .isInstanceOf(UnknownOutcomeException.class);
          assertThat(work.runs()).isEqualTo(3);
        });
  }

  @Test
  void whileAnotherCallRunsOneFailsOrWaits() {
    run(
        (work, store) -> {
          CountDownLatch end = new CountDownLatch(1);
          CompletableFuture<String> first =
              CompletableFuture.supplyAsync(() -> work.waits("k", end));
          await().until(() -> work.runs() == 1);
          assertThatThrownBy(() -> work.doesNotWait("k", end))
              .isInstanceOf(AlreadyRunningException.class);
          CompletableFuture<String> second =
              CompletableFuture.supplyAsync(() -> work.waits("k", end));
          end.countDown();
          assertThat(first.join()).isEqualTo("done");
          assertThat(second.join()).isEqualTo("done");
          assertThat(work.runs()).isEqualTo(1);
        });
  }

  @Test
  void theLockIsOutsideSoThatASkippedCallIsNoResult() {
    inMemory()
        .withBean(Work.class)
        .run(
            context -> {
              Work work = context.getBean(Work.class);
              try (LockClient other =
                  Leasehold.builder(context.getBean(InMemoryServer.class)).build()) {
                var lease = other.lock("skips").acquire();
                assertThat(work.skips("k")).isNull();
                lease.release();
              }
              assertThat(work.skips("k")).isEqualTo("ran");
            });
  }

  @Test
  void aCallInATransactionThatDoesNotHoldTheResultIsRefused() {
    Contexts.with(onPool())
        .withUserConfiguration(InMemory.class)
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:refused")
        .withBean(Work.class)
        .run(
            context -> {
              Work work = context.getBean(Work.class);
              TransactionTemplate transactions =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              assertThatThrownBy(() -> transactions.executeWithoutResult(s -> work.nothing("k")))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("Work.nothing")
                  .hasMessageContaining("IdempotencyTables");
              assertThat(work.runs()).isZero();
            });
  }

  private static List<String> onPool() {
    List<String> boot = new ArrayList<>(Line.here().jdbc());
    boot.addAll(Line.here().json());
    return boot;
  }

  private static void inDatabase(String database, BiConsumer<Books, TransactionTemplate> test) {
    Contexts.with(onPool())
        .withBean(Books.class)
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:" + database, "leasehold.create-tables=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              context
                  .getBean(JdbcTemplate.class)
                  .execute("create table entry (name varchar(20), primary key (name))");
              test.accept(
                  context.getBean(Books.class),
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
            });
  }

  @Test
  void theTransactionOfTheMethodCommitsItsResultOrNothing() {
    inDatabase(
        "own",
        (books, transactions) -> {
          assertThatThrownBy(() -> books.enterAndFail("a")).isInstanceOf(IOException.class);
          assertThat(books.entries()).isEmpty();
          // The key is free again, and the entry is not there twice
          assertThat(books.enter("a")).isEqualTo(1);
          assertThat(books.enter("a")).isEqualTo(1);
          assertThat(books.entries()).containsExactly("a");
        });
  }

  @Test
  void theTransactionOfTheCallerTakesTheResultIn() {
    inDatabase(
        "callers",
        (books, transactions) -> {
          transactions.executeWithoutResult(
              status -> {
                books.enter("a");
                assertThat(books.enter("a")).isEqualTo(1);
                status.setRollbackOnly();
              });
          assertThat(books.entries()).isEmpty();
          transactions.executeWithoutResult(status -> books.enter("a"));
          assertThat(books.enter("a")).isEqualTo(1);
          assertThat(books.entries()).containsExactly("a");
        });
  }

  @Test
  void aCallerThatCatchesTheExceptionCannotCommitTheClaim() {
    inDatabase(
        "caught",
        (books, transactions) -> {
          assertThatThrownBy(
                  () ->
                      transactions.executeWithoutResult(
                          status ->
                              assertThatThrownBy(() -> books.enterAndFail("a"))
                                  .isInstanceOf(IOException.class)))
              .isInstanceOfAny(IllegalStateException.class, UnexpectedRollbackException.class);
          assertThat(books.entries()).isEmpty();
          assertThat(books.enter("a")).isEqualTo(1);
        });
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Wrong.Private.class,
        Wrong.Later.class,
        Wrong.Streaming.class,
        Wrong.Suspended.class,
        Wrong.Misspelled.class,
        Wrong.Name.class,
        Wrong.Wait.class,
        Wrong.Keep.class
      })
  void whatCannotWorkStopsTheStart(Class<?> wrong) {
    inMemory()
        .withBean("wrong", wrong)
        .run(context -> isRefused(context.getStartupFailure(), wrong));
  }

  @Test
  void anotherTransactionThanThatOfTheResultStopsTheStart() {
    Contexts.with(onPool())
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:apart", "leasehold.create-tables=true")
        .withBean("wrong", Wrong.Apart.class)
        .run(context -> isRefused(context.getStartupFailure(), Wrong.Apart.class));
  }

  @Test
  void aResultThatNothingCanWriteStopsTheStart() {
    Contexts.with()
        .withUserConfiguration(InMemory.class)
        .withBean("wrong", Work.class)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("Jackson"));
  }

  private static void isRefused(Throwable failure, Class<?> wrong) {
    Throwable cause = failure;
    while (!(cause instanceof InvalidAnnotationException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    assertThat(cause)
        .isInstanceOf(InvalidAnnotationException.class)
        .hasMessageContaining("@Idempotent on " + wrong.getName() + ".work");
  }

  /** Whether the store is down. */
  static final class Switch {
    volatile boolean down;

    IdempotencyStore over(IdempotencyStore store) {
      return (IdempotencyStore)
          Proxy.newProxyInstance(
              IdempotencyStore.class.getClassLoader(),
              new Class<?>[] {IdempotencyStore.class},
              (proxy, method, arguments) -> {
                if (down && !method.getName().equals("close")) {
                  throw new StoreException(StoreException.Failure.UNAVAILABLE, "down", null);
                }
                try {
                  return method.invoke(store, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InMemory {
    @Bean
    Switch store() {
      return new Switch();
    }

    @Bean
    InMemoryServer server() {
      return new InMemoryServer();
    }

    @Bean
    LockClient locks(InMemoryServer server) {
      return Leasehold.builder(server).build();
    }

    @Bean
    Idempotency idempotency(Switch store) {
      return Idempotency.builder(store.over(IdempotencyStores.inMemory())).build();
    }
  }

  /** What is paid. */
  public record Order(String id, long cents) {}

  /** What comes of it. */
  public record Receipt(String order, long token) {}

  /** The methods. */
  static class Work {
    private final AtomicInteger runs = new AtomicInteger();

    int runs() {
      return runs.get();
    }

    @Idempotent(value = "order:#{#order.id}", operation = "charge", keep = "${app.keep:2h}")
    public Receipt charge(Order order, Claim claim) {
      runs.incrementAndGet();
      return new Receipt(order.id(), claim.token());
    }

    @Idempotent("#{#key}")
    public void nothing(String key) {
      runs.incrementAndGet();
    }

    @Idempotent("#{#key}")
    public int number(String key) {
      return runs.incrementAndGet() + 7 - runs.get();
    }

    @Idempotent("#{#key}")
    public String text(String key) {
      runs.incrementAndGet();
      return "";
    }

    @Idempotent("#{#key}")
    public Receipt none(String key) {
      runs.incrementAndGet();
      return null;
    }

    @Idempotent("#{#key}")
    public Optional<String> maybe(String key) {
      runs.incrementAndGet();
      return Optional.of("there");
    }

    @Idempotent("#{#key}")
    public List<Order> list(String key) {
      runs.incrementAndGet();
      return List.of(new Order("a", 1));
    }

    @Idempotent(value = "#{#key}", principal = "#{#user}", fingerprint = "#{#body}")
    public String of(String user, String key, String body) {
      runs.incrementAndGet();
      return user + " " + body;
    }

    @Idempotent("#{#key}")
    public void fails(String key) throws IOException {
      runs.incrementAndGet();
      throw new IOException("of the work");
    }

    @Idempotent(value = "#{#key}", afterException = AfterException.UNKNOWN)
    public void failsHalfway(String key) throws IOException {
      runs.incrementAndGet();
      throw new IOException("of the work");
    }

    @Idempotent(
        value = "#{#key}",
        operation = "waits",
        whileRunning = WhileRunning.Way.WAIT,
        maxWait = "1m")
    public String waits(String key, CountDownLatch end) {
      runs.incrementAndGet();
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return "done";
    }

    @Idempotent(value = "#{#key}", operation = "waits")
    public String doesNotWait(String key, CountDownLatch end) {
      runs.incrementAndGet();
      return "not";
    }

    @Idempotent("#{#key}")
    @Locked(value = "skips", busy = io.leasehold.spring.Busy.SKIP)
    public String skips(String key) {
      return "ran";
    }
  }

  /** Entries of a table, each once. */
  static class Books {
    private final JdbcTemplate jdbc;

    Books(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    List<String> entries() {
      return jdbc.queryForList("select name from entry", String.class);
    }

    @Idempotent(value = "#{#name}", operation = "enter")
    @Transactional
    public int enter(String name) {
      return jdbc.update("insert into entry values (?)", name);
    }

    /** A transaction of Spring commits in spite of such an exception. */
    @Idempotent(value = "#{#name}", operation = "enter")
    @Transactional
    public int enterAndFail(String name) throws IOException {
      jdbc.update("insert into entry values (?)", name);
      throw new IOException("of the work");
    }
  }

  /** The errors. */
  interface Wrong {
    class Private {
      @Idempotent("x")
      private void work() {}
    }

    class Later {
      @Idempotent("x")
      public CompletableFuture<String> work() {
        return new CompletableFuture<>();
      }
    }

    class Streaming {
      @Idempotent("x")
      public Stream<String> work() {
        return Stream.of();
      }
    }

    class Suspended {
      @Idempotent("x")
      public Object work(Continuation<? super String> rest) {
        throw new AssertionError("not called");
      }
    }

    class Misspelled {
      @Idempotent("#{#idd}")
      public void work(long id) {}
    }

    class Name {
      @Idempotent(
          value = "x",
          operation = "0123456789012345678901234567890123456789012345678901234567890123456789")
      public void work() {}
    }

    class Wait {
      @Idempotent(value = "x", maxWait = "1s")
      public void work() {}
    }

    class Keep {
      @Idempotent(value = "x", keep = "10")
      public void work() {}
    }

    class Apart {
      @Idempotent("x")
      @Transactional(propagation = Propagation.REQUIRES_NEW)
      public void work() {}
    }
  }
}
