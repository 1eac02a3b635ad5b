package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.StoreException;
import io.leasehold.spring.Busy;
import io.leasehold.spring.LockInterruptedException;
import io.leasehold.spring.Locked;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What {@link Locked} promises, on the store in memory. */
@Tag("jdk")
public abstract class LockedContract {
  /** Read by a name. */
  public static final String OF_TYPE = "of a type";

  private void run(BiConsumer<Work, Store> test) {
    Contexts.with()
        .withUserConfiguration(App.class)
        .withPropertyValues("app.wait=20ms", "app.slots=1/2")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Store store = context.getBean(Store.class);
              store.self = context.getBean(Work.class);
              test.accept(store.self, store);
            });
  }

  @Test
  void theNameIsEvaluatedOverTheParametersOnce() {
    run(
        (work, store) -> {
          Account account = new Account("7");
          assertThat(work.renames(account)).isEqualTo("account:7");
          assertThat(account.id).isEqualTo("8");
          assertThat(account.reads).isEqualTo(1);
          assertThat(store.server.list()).isEmpty();
        });
  }

  @Test
  void aNameReadsBeansAndTypesAndSetsNothing() {
    run(
        (work, store) -> {
          assertThat(atPlatform(() -> work.ofBeanAndType(-3, null)))
              .isEqualTo("of a bean:of a type:3");
          assertThatThrownBy(() -> work.sets(1)).hasMessageContaining("not assignable");
          assertThat(work.runs()).isZero();
        });
  }

  /** On a thread that has not the class loader of the application. */
  private static <T> T atPlatform(Supplier<T> call) {
    Thread me = Thread.currentThread();
    ClassLoader mine = me.getContextClassLoader();
    me.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try {
      return call.get();
    } finally {
      me.setContextClassLoader(mine);
    }
  }

  @Test
  void callsAtOnceEachHaveTheirOwnName() {
    run(
        (work, store) -> {
          CyclicBarrier both = new CyclicBarrier(2);
          CompletableFuture<String> other =
              CompletableFuture.supplyAsync(() -> work.meets(both, "a", null));
          assertThat(work.meets(both, "b", null)).endsWith(":b");
          assertThat(other.join()).endsWith(":a");
        });
  }

  @Test
  void theMethodRunsWhileTheLockIsHeldWithItsLease() {
    run(
        (work, store) -> {
          assertThat(work.observed("x", store, null)).isEqualTo(List.of("held:x"));
          assertThat(store.server.list()).isEmpty();
        });
  }

  @Test
  void aNestedCallIsReentrant() {
    run((work, store) -> assertThat(work.nests(store.self, 3)).isEqualTo(3));
  }

  @Test
  void anExceptionOfTheMethodReleasesAndArrivesAsItIs() {
    run(
        (work, store) -> {
          assertThatThrownBy(() -> work.fails()).isExactlyInstanceOf(java.io.IOException.class);
          assertThat(store.server.list()).isEmpty();
        });
  }

  @Test
  void aBusyLockThrowsByDefaultAndTheMethodDoesNotRun() {
    run(
        (work, store) -> {
          try (Lease other = store.hold("busy")) {
            assertThatThrownBy(work::busy).isInstanceOf(LockTimeoutException.class);
            assertThatThrownBy(work::busyNumber).isInstanceOf(LockTimeoutException.class);
          }
          assertThat(work.runs()).isZero();
          work.busy();
          assertThat(work.runs()).isEqualTo(1);
        });
  }

  @Test
  void aBusyLockSkipsWhereTheMethodSaysSo() {
    run(
        (work, store) -> {
          try (Lease other = store.hold("busy")) {
            work.skips();
            assertThat(work.skipsOptional()).isEmpty();
            assertThat(work.skipsObject()).isNull();
            assertThat(work.skipsStage().toCompletableFuture().join()).isNull();
            assertThat(work.skipsMono().blockOptional()).isEmpty();
            assertThat(work.skipsFlux().collectList().block()).isEmpty();
            work.scheduled();
          }
          assertThat(work.runs()).isZero();
          assertThat(work.skipsOptional()).contains("ran");
          assertThat(work.skipsMono().block()).isEqualTo("ran");
          assertThat(work.skipsFlux().collectList().block()).containsExactly("ran", "on");
          assertThat(work.skipsStage().toCompletableFuture().join()).isEqualTo("ran");
        });
  }

  @Test
  void aBusyLockCallsTheFallbackWithTheArguments() {
    run(
        (work, store) -> {
          assertThat(work.fallsBack("a", null)).isEqualTo("ran a");
          try (Lease other = store.hold("busy")) {
            assertThat(work.fallsBack("a", null)).isEqualTo("instead a");
            assertThat(work.fallsBackLater("a").join()).isEqualTo("instead a");
          }
        });
  }

  @Test
  void aTimeoutInsideTheMethodIsNotABusyLock() {
    run(
        (work, store) ->
            assertThatThrownBy(() -> work.timesOutInside())
                .isInstanceOf(LockTimeoutException.class)
                .hasMessage("of the work"));
  }

  @Test
  void anUnreachableStoreNeitherSkipsNorFallsBack() {
    run(
        (work, store) -> {
          store.faults.cut();
          assertThatThrownBy(work::skips).isInstanceOf(StoreException.class);
          assertThatThrownBy(work::scheduled).isInstanceOf(StoreException.class);
          assertThatThrownBy(() -> work.fallsBack("a", null)).isInstanceOf(StoreException.class);
          assertThatThrownBy(() -> work.fallsBackLater("a").join())
              .hasCauseInstanceOf(StoreException.class);
          assertThatThrownBy(() -> work.skipsMono().block()).isInstanceOf(StoreException.class);
          assertThat(work.runs()).isZero();
          store.faults.heal();
        });
  }

  @Test
  void aLostLeaseIsReportedAtTheEnd() {
    run(
        (work, store) ->
            assertThatThrownBy(() -> work.loses(store, null))
                .isInstanceOf(LeaseLostException.class));
  }

  @Test
  void aNullInTheNameFailsTheCall() {
    run(
        (work, store) ->
            assertThatThrownBy(() -> work.renames(new Account(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#{#account.id}"));
  }

  @Test
  void anInterruptedWaitSetsTheFlagAndDoesNotRunTheMethod() {
    run(
        (work, store) -> {
          try (Lease other = store.hold("busy")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(work::busy).isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
          }
          assertThat(work.runs()).isZero();
        });
  }

  @Test
  void severalNamesAreHeldAllOrNone() {
    run(
        (work, store) -> {
          assertThat(work.several("a", "b", null)).containsExactly("a", "b");
          assertThat(work.severalOf(List.of("a", "c"), store)).containsExactly("a", "c");
          try (Lease other = store.hold("b")) {
            assertThatThrownBy(() -> work.several("a", "b", null))
                .isInstanceOf(LockTimeoutException.class);
            assertThat(store.server.list()).hasSize(1);
          }
        });
  }

  @Test
  void sharedHoldersMeetAndPermitsAreCounted() {
    run(
        (work, store) -> {
          assertThat(work.shared(store.self)).isEqualTo(2);
          assertThat(work.slots(store.self, 2)).isEqualTo(2);
          assertThatThrownBy(() -> work.slots(store.self, 3))
              .isInstanceOf(LockTimeoutException.class);
        });
  }

  @Test
  void aStageHoldsTheLockUntilItHasCompleted() {
    run(
        (work, store) -> {
          CompletableFuture<String> end = new CompletableFuture<>();
          CompletionStage<String> stage = work.stage(end, null);
          await().until(() -> store.holds("stage"));
          assertThat(stage.toCompletableFuture()).isNotDone();
          end.complete("done");
          assertThat(stage.toCompletableFuture().join()).isEqualTo("done");
          assertThat(store.server.list()).isEmpty();
        });
  }

  @Test
  void aMonoAndAFluxHoldTheLockFromSubscriptionToTheEnd() {
    run(
        (work, store) -> {
          Mono<Boolean> mono = work.mono(store, null);
          assertThat(store.server.list()).isEmpty();
          assertThat(mono.contextWrite(c -> c.put("k", "v")).block()).isTrue();
          assertThat(mono.contextWrite(c -> c.put("k", "v")).block()).isTrue();
          assertThat(work.flux(store).collectList().block()).containsExactly(true, true);
          assertThat(store.server.list()).isEmpty();
          assertThat(work.flux(store).next().block()).isTrue();
          await().until(() -> store.server.list().isEmpty());
        });
  }

  @Test
  void aScheduledMethodKeepsOthersOutForItsMinHold() {
    run(
        (work, store) -> {
          work.scheduledShort();
          work.scheduledShort();
          assertThat(work.runs()).isEqualTo(1);
        });
  }

  /** What a name is made of. */
  static class Account {
    private String id;
    private int reads;

    Account(String id) {
      this.id = id;
    }

    public String getId() {
      reads++;
      return id;
    }
  }

  /** The store, and another client of it. */
  static class Store implements AutoCloseable {
    final InMemoryServer server = new InMemoryServer();
    final FaultyStore faults = new FaultyStore(server);
    final LockClient other = Leasehold.builder(server).build();
    Work self;

    Lease hold(String name) {
      return other.lock(name).tryAcquire().orElseThrow();
    }

    boolean holds(String name) {
      return server.list().stream().anyMatch(lock -> lock.name().equals(name));
    }

    @Override
    public void close() {
      other.close();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class App {
    @Bean
    Store store() {
      return new Store();
    }

    @Bean
    LockClient client(Store store) {
      return Leasehold.builder(store.faults).requestTimeout(Duration.ofMillis(300)).build();
    }

    @Bean
    String tenant() {
      return "of a bean";
    }

    @Bean
    Work work() {
      return new Work();
    }
  }

  /** The methods. */
  static class Work {
    // A proxy has fields too, but not those of its target
    private int runs;

    int runs() {
      return runs;
    }

    @Locked("account:#{#account.id}")
    public String renames(Account account) {
      String before = "account:" + account.id;
      account.id = "8";
      return before;
    }

    /** The calls meet while their names are evaluated. */
    @Locked("#{#both.await() + ':' + #id}")
    public String meets(CyclicBarrier both, String id, Lease lease) {
      return lease.name();
    }

    @Locked("#{@tenant}:#{T(io.leasehold.spring.tests.LockedContract).OF_TYPE}:#{-#p0}")
    public String ofBeanAndType(int number, Lease lease) {
      return lease.name();
    }

    @Locked("#{#number = 5}")
    public void sets(int number) {
      runs++;
    }

    @Locked("#{#p0}")
    public List<String> observed(String name, Store store, Lease lease) {
      return List.of((store.holds(name) && lease.isHeld() ? "held:" : "free:") + lease.name());
    }

    @Locked(value = "nested", maxWait = "0")
    public int nests(Work self, int depth) {
      return depth == 1 ? 1 : 1 + self.nests(self, depth - 1);
    }

    @Locked("fails")
    public void fails() throws java.io.IOException {
      throw new java.io.IOException("of the work");
    }

    @Locked(value = "busy", maxWait = "${app.wait}")
    public void busy() {
      runs++;
    }

    @Locked(value = "busy", maxWait = "0")
    public int busyNumber() {
      return ++runs;
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public void skips() {
      runs++;
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public Optional<String> skipsOptional() {
      runs++;
      return Optional.of("ran");
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public Object skipsObject() {
      runs++;
      return "ran";
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public CompletionStage<String> skipsStage() {
      runs++;
      return CompletableFuture.completedFuture("ran");
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public Mono<String> skipsMono() {
      runs++;
      return Mono.just("ran");
    }

    @Locked(value = "busy", busy = Busy.SKIP)
    public Flux<String> skipsFlux() {
      runs++;
      return Flux.just("ran", "on");
    }

    @Scheduled(fixedDelay = 1_000_000)
    @Locked("busy")
    public void scheduled() {
      runs++;
    }

    @Scheduled(cron = "0 0 3 * * *")
    @Locked(value = "short", minHold = "10m")
    public void scheduledShort() {
      runs++;
    }

    @Locked(value = "busy", maxWait = "0", fallback = "instead")
    public String fallsBack(String text, Lease lease) {
      return "ran " + text;
    }

    private String instead(String text) {
      return "instead " + text;
    }

    @Locked(value = "busy", maxWait = "0", fallback = "insteadLater")
    public CompletableFuture<String> fallsBackLater(String text) {
      return CompletableFuture.completedFuture("ran " + text);
    }

    private CompletableFuture<String> insteadLater(String text) {
      return CompletableFuture.completedFuture("instead " + text);
    }

    @Locked(value = "timeout", busy = Busy.SKIP)
    public void timesOutInside() {
      throw new LockTimeoutException("of the work");
    }

    @Locked(value = "lost", ttl = "600ms")
    public void loses(Store store, Lease lease) {
      assertThat(store.other.lock("lost").breakLease(lease.fencingToken())).isTrue();
      await().until(() -> !lease.isHeld());
    }

    @Locked(
        value = {"#{#one}", "#{#two}"},
        maxWait = "0")
    public List<String> several(String one, String two, MultiLease leases) {
      return leases.leases().stream().map(Lease::name).toList();
    }

    @Locked("#{#names}")
    public List<String> severalOf(List<String> names, Store store) {
      return names.stream().filter(store::holds).toList();
    }

    @Locked(value = "shared", mode = LockMode.SHARED)
    public int shared(Work self) {
      return 1 + CompletableFuture.supplyAsync(self::sharedToo).join();
    }

    @Locked(value = "shared", mode = LockMode.SHARED, maxWait = "0")
    public int sharedToo() {
      return 1;
    }

    @Locked(value = "slots", permits = "${app.slots}", maxWait = "0")
    public int slots(Work self, int depth) {
      return depth == 1 ? 1 : 1 + self.slots(self, depth - 1);
    }

    @Locked("stage")
    public CompletionStage<String> stage(CompletionStage<String> end, Lease lease) {
      assertThat(lease.isHeld()).isTrue();
      return end;
    }

    @Locked("mono")
    public Mono<Boolean> mono(Store store, Lease lease) {
      return Mono.deferContextual(
          context ->
              Mono.just(
                  store.holds("mono") && lease.isHeld() && context.<String>get("k").equals("v")));
    }

    @Locked("flux")
    public Flux<Boolean> flux(Store store) {
      return Flux.range(0, 2).map(i -> store.holds("flux"));
    }
  }
}
