package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Clients on real threads and one server, for one test. At its end every client must have nothing
 * left in memory, the server must have nothing left of any client, and all threads must end.
 */
final class Engines implements BeforeEachCallback, AfterEachCallback {
  /** Far longer than any test: what is left is not healed by a ttl. */
  static final Duration LONG_TTL = Duration.ofMinutes(10);

  /** As the Redis store: what comes free is granted to the next, who is told of it. */
  static final InMemorySettings GRANTS_BY_MESSAGE =
      InMemorySettings.defaults()
          .withFeatures(
              Feature.FENCING,
              Feature.QUEUE,
              Feature.NEIGHBOURS,
              Feature.DIRECT_GRANT,
              Feature.GRANT_MESSAGES,
              Feature.TOMBSTONES);

  /** Held, or its level would be forgotten. */
  private static final Logger LOG = Logger.getLogger("io.leasehold");

  private final List<Engine> open = new ArrayList<>();
  private final ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();
  private InMemoryServer server = new InMemoryServer();
  private Set<Thread> threadsBefore = Set.of();
  private boolean mayLeaveSomething;

  @Override
  public void beforeEach(ExtensionContext context) {
    LOG.setLevel(Level.OFF);
    threadsBefore = threads();
    open.clear();
    events.clear();
    serve(InMemorySettings.defaults());
    mayLeaveSomething = false;
  }

  /** The server of this test. */
  InMemoryServer server() {
    return server;
  }

  /** Events of all clients. */
  void forgetEvents() {
    events.clear();
  }

  List<LockEvent> events() {
    return List.copyOf(events);
  }

  <E extends LockEvent> List<E> events(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Uses a server that resembles this store. */
  void serve(InMemorySettings settings) {
    server = new InMemoryServer(settings, new SystemClock(), ForkJoinPool.commonPool());
  }

  /** A server whose verbs are declared to run this way. */
  void serve(Traits.Calls calls) {
    serve(InMemorySettings.defaults().withCalls(calls));
  }

  /**
   * The same, and it reports who waits: a lease is handed over or joined without asking, however
   * slow the machine is.
   */
  void serveReporting(Traits.Calls calls) {
    serve(InMemorySettings.defaults().withMoreFeatures(Feature.REPORTS_WANTED).withCalls(calls));
  }

  Engine client() {
    return client(builder -> builder);
  }

  Engine client(UnaryOperator<LockClientBuilder> settings) {
    return client(new FaultyStore.Factory(server), settings);
  }

  Engine client(StoreFactory factory, UnaryOperator<LockClientBuilder> settings) {
    LockClientBuilder builder =
        Leasehold.builder(factory)
            .ttl(LONG_TTL)
            .requestTimeout(Duration.ofSeconds(2))
            .closeTimeout(Duration.ofSeconds(2))
            .listener(events::add);
    LockClient client = settings.apply(builder).build();
    open.add((Engine) client);
    return (Engine) client;
  }

  /** One that goes by this clock. */
  Engine client(StoreFactory factory, Clock clock) {
    return client(factory, clock, Duration.ofMillis(100));
  }

  /** One that goes by this clock, and hands a wanted lock over for so long. */
  Engine client(StoreFactory factory, Clock clock, Duration handOver) {
    return client(factory, clock, handOver, new Threads());
  }

  static Scheduler scheduler(InvocationHandler of) {
    return (Scheduler)
        Proxy.newProxyInstance(
            Scheduler.class.getClassLoader(), new Class<?>[] {Scheduler.class}, of);
  }

  /** One whose work this runs. */
  Engine client(Scheduler scheduler) {
    return client(server, new SystemClock(), Duration.ofMillis(100), scheduler);
  }

  private Engine client(StoreFactory factory, Clock clock, Duration handOver, Scheduler scheduler) {
    EngineConfig config =
        new EngineConfig(
            Optional.of(LONG_TTL),
            LONG_TTL,
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            handOver,
            () -> null,
            Set.of(),
            List.of(events::add));
    Engine engine = new Engine(factory, config, clock, scheduler, new SecureRandom()::nextLong);
    open.add(engine);
    return engine;
  }

  /** For tests that end with a silent store. */
  void mayLeaveSomething() {
    mayLeaveSomething = true;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    boolean failed = context.getExecutionException().isPresent();
    try {
      if (!failed && !mayLeaveSomething) {
        for (Engine engine : open) {
          await("nothing in memory")
              .atMost(Duration.ofSeconds(5))
              .until(() -> engine.isClosed() || engine.ledger().isZero());
        }
        assertThat(server.list()).as("left in the store").isEmpty();
      }
    } finally {
      open.forEach(Engine::close);
      LOG.setLevel(null);
    }
    if (!failed) {
      await("the clients' threads end")
          .atMost(Duration.ofSeconds(8))
          .untilAsserted(() -> assertThat(newThreads()).isEmpty());
    }
  }

  /** Threads of clients that are there now and were not before the test. */
  List<String> newThreads() {
    return threads().stream()
        .filter(t -> !threadsBefore.contains(t))
        .map(Thread::getName)
        .collect(Collectors.toList());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("leasehold-"))
        .collect(Collectors.toSet());
  }

  // ---- other threads

  /** Work on a thread of its own. */
  static final class Running<T> {
    final Thread thread;
    private final FutureTask<T> task;

    Running(Callable<T> work) {
      this.task = new FutureTask<>(work);
      this.thread = new Thread(task, "caller");
      thread.setDaemon(true);
      thread.start();
    }

    /** Waits until it parks. */
    Running<T> waiting() {
      await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(5))
          .until(() -> isParked(thread));
      return this;
    }

    T result() throws Exception {
      return task.get(10, TimeUnit.SECONDS);
    }

    boolean isDone() {
      return task.isDone();
    }

    private static boolean isParked(Thread thread) {
      return thread.getState() == Thread.State.WAITING
          || thread.getState() == Thread.State.TIMED_WAITING;
    }
  }

  static <T> Running<T> start(Callable<T> work) {
    return new Running<>(work);
  }

  /** How an action ended, by the simple name of what it threw; empty if it did not throw. */
  static String thrownBy(Callable<?> action) {
    try {
      Object unused = action.call();
      return "";
    } catch (Exception e) {
      return e.getClass().getSimpleName();
    }
  }

  static Duration timed(Callable<?> action) throws Exception {
    long begin = System.nanoTime();
    Object unused = action.call();
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
