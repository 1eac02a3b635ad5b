package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests over one connection, through a proxy, that do not wait for their answers. */
@Timeout(120)
@ParameterizedClass
@EnumSource
class PipelineWireTest extends ServerTest {
  /** On which thread answers are read. */
  enum Reading {
    SHARED,
    /** As with TLS. */
    OF_ITS_OWN
  }

  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final String ECHO = "return ARGV[1]";
  private static final String LENGTH = "return redis.call('STRLEN', KEYS[1])";
  private static final String FUTURE = CompletableFuture.class.getName();
  private static final String READER = SharedReader.class.getName();

  @Parameter Reading reading;
  private final AtomicLong ahead = new AtomicLong();
  private FaultProxy proxy;
  private PipelineWire wire;

  PipelineWireTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void connect() {
    ahead.set(0);
    proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
    wire = by(server.urlBy(proxy.port()));
    assertThat(wire.send(List.of(set("begin")), WITHIN)).succeedsWithin(PATIENCE);
  }

  @AfterEach
  void close() {
    wire.close();
    proxy.close();
  }

  private PipelineWire by(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    Connections connections =
        reading == Reading.SHARED
            ? ServerAddress.ofMember(parsed, Map.of(), Set.of())
            : ServerAddress.of(parsed, Map.of(), Set.of());
    return new PipelineWire(connections, new Shifted());
  }

  private final class Shifted implements Clock {
    private final Clock real = new SystemClock();

    @Override
    public long nanos() {
      return real.nanos() + ahead.get();
    }

    @Override
    public long wallMillis() {
      return real.wallMillis();
    }
  }

  private Command set(String key) {
    return Command.of(Name.SET, prefix() + key, "1");
  }

  private CompletableFuture<List<Object>> send(Command command, Duration within) {
    return wire.send(List.of(command), within).toCompletableFuture();
  }

  private Object stored(String key) {
    return server.command("EXISTS", prefix() + key);
  }

  private static void requireFailure(
      CompletableFuture<?> request, Failure failure, String... message) {
    assertThat(request)
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(failure))
        .satisfies(e -> assertThat(e.getMessage()).contains(message));
  }

  @Test
  void eachIsAnsweredWhatItAskedOverOneConnection() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      String mine = "thread " + i + " ";
      threads.add(
          new Thread(
              () -> {
                for (int k = 0; k < 500; k++) {
                  String text = mine + k;
                  Command echo = Command.of(Name.EVAL, ECHO, "0", text);
                  List<Object> answers =
                      wire.send(List.of(echo, echo), WITHIN).toCompletableFuture().join();
                  assertThat(answers).map(Command::text).containsExactly(text, text);
                }
                done.complete(null);
              }));
    }
    threads.forEach(
        thread ->
            thread.setUncaughtExceptionHandler(
                (t, e) -> all.forEach(one -> one.completeExceptionally(e))));
    threads.forEach(Thread::start);
    all.forEach(one -> assertThat(one).succeedsWithin(PATIENCE));
    assertThat(proxy.connections()).isEqualTo(1);
  }

  @Test
  void aLostReplyIsAnUnknownOutcomeAndTheNextRequestConnectsAnew() {
    proxy.cutAfter(proxy.requests());
    requireFailure(send(set("a"), WITHIN), Failure.UNKNOWN_OUTCOME, "did not answer");
    assertThat(stored("a")).isEqualTo(1L);
    assertThat(send(set("b"), WITHIN)).succeedsWithin(PATIENCE);
    assertThat(stored("b")).isEqualTo(1L);
  }

  /** Two channels have two answers: what came later would be taken for that to the next request. */
  @Test
  void anAnswerThatWasNotAskedForEndsTheConnection() {
    Command channels = Command.of(Name.SUBSCRIBE, prefix() + "a", prefix() + "b");
    assertThat(send(channels, WITHIN)).succeedsWithin(PATIENCE);
    await().until(() -> proxy.connections() == 0);
    Command echo = Command.of(Name.EVAL, ECHO, "0", "text");
    assertThat(send(echo, WITHIN).join()).map(Command::text).containsExactly("text");
  }

  /** One request whose time is short must not cost the others theirs. */
  @Test
  void aServerThatIsSilentForASecondIsConnectedToAnew() {
    proxy.stall(Direction.TO_CLIENT);
    CompletableFuture<List<Object>> shortly = send(set("a"), Duration.ofMillis(1));
    CompletableFuture<List<Object>> later = send(set("b"), Duration.ofMillis(1500));
    await().until(() -> stored("b").equals(1L));
    assertThat(shortly).isNotDone();
    requireFailure(shortly, Failure.UNKNOWN_OUTCOME, "did not answer");
    requireFailure(later, Failure.UNKNOWN_OUTCOME, "did not answer");
    proxy.heal();
    assertThat(send(set("c"), WITHIN)).succeedsWithin(PATIENCE);
  }

  /** More than the system might hold is not written: the caller would block. */
  @Test
  void whatIsNotSentInItsTimeTakesNoEffect() {
    proxy.stall(Direction.TO_SERVER);
    String large = "x".repeat(20 * 1024);
    List<CompletableFuture<List<Object>>> sent = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Command command = Command.of(Name.SET, prefix() + "large" + i, large);
      sent.add(send(command, WITHIN));
    }
    CompletableFuture<List<Object>> last = send(set("last"), Duration.ofMillis(200));
    requireFailure(last, Failure.UNAVAILABLE, "was free in time");
    proxy.heal();
    sent.forEach(each -> assertThat(each).succeedsWithin(PATIENCE));
    assertThat(stored("large99")).isEqualTo(1L);
    assertThat(stored("last")).isEqualTo(0L);
  }

  /** Also if the thread that writes to it is held up, as with TLS. */
  @Test
  void aServerThatTakesNothingHoldsUpNoOtherRequest() {
    proxy.stall(Direction.TO_SERVER);
    Command large = Command.of(Name.SET, prefix() + "large", "x".repeat(24 << 20));
    CompletableFuture<List<Object>> first = new CompletableFuture<>();
    Thread writer = new Thread(() -> first.complete(send(large, WITHIN).join()));
    writer.start();
    await()
        .until(() -> isInside(writer, reading == Reading.SHARED ? FUTURE : Link.class.getName()));
    CompletableFuture<CompletableFuture<List<Object>>> second =
        CompletableFuture.supplyAsync(() -> send(set("b"), WITHIN));
    try (Wire another = by(server.url())) {
      assertThat(second).succeedsWithin(Duration.ofSeconds(10));
      assertThat(another.send(List.of(set("c")), WITHIN)).succeedsWithin(Duration.ofSeconds(10));
      assertThat(first).isNotDone();
    } finally {
      proxy.heal();
    }
    assertThat(first).succeedsWithin(PATIENCE);
    assertThat(second.thenCompose(sent -> sent)).succeedsWithin(PATIENCE);
    assertThat(stored("b")).isEqualTo(1L);
    assertThat(send(Command.of(Name.EVAL, LENGTH, "1", prefix() + "large"), WITHIN).join())
        .containsExactly((long) (24 << 20));
  }

  private static boolean isInside(Thread thread, String type) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(type));
  }

  /** Parts of them come one by one, and several of them at once. */
  @Test
  void largeAnswersAreReadWhole() {
    String half = "local s = string.rep('x', tonumber(ARGV[1])) return {s, {s, 1, false}}";
    List<CompletableFuture<List<Object>>> all = new ArrayList<>();
    for (int size : List.of(1 << 20, 0, 8_000, 8_192, 20_000, 3, 1 << 20)) {
      all.add(send(Command.of(Name.EVAL, half, "0", "" + size), WITHIN));
    }
    assertThat(all)
        .allSatisfy(one -> assertThat(one).succeedsWithin(PATIENCE))
        .extracting(one -> ((byte[]) ((List<?>) one.join().get(0)).get(0)).length)
        .containsExactly(1 << 20, 0, 8_000, 8_192, 20_000, 3, 1 << 20);
  }

  @Test
  void oneThreadReadsFromAllThatAreShared() {
    assumeThat(reading).isEqualTo(Reading.SHARED);
    List<PipelineWire> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      others.add(by(server.url()));
    }
    others.forEach(
        other -> assertThat(other.send(List.of(set("a")), WITHIN)).succeedsWithin(PATIENCE));
    assertThat(readers()).isEqualTo(1);
    others.forEach(PipelineWire::close);
    assertThat(send(set("b"), WITHIN)).succeedsWithin(PATIENCE);
  }

  private static long readers() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames).anyMatch(frame -> frame.getClassName().startsWith(READER)))
        .count();
  }

  @Test
  void whileThereIsNoServerRequestsFailWithWhy() {
    proxy.refuse();
    proxy.cutAll();
    await().until(() -> proxy.connections() == 0);
    requireFailure(send(set("a"), WITHIN), Failure.UNAVAILABLE, "cannot connect");
    proxy.heal();
    assertThat(send(set("b"), WITHIN)).succeedsWithin(PATIENCE);
  }

  /** Something on the way may have forgotten it without a word. */
  @Test
  void aConnectionThatWasIdleForLongIsMadeAnew() {
    int before = proxy.requests();
    ahead.addAndGet(Duration.ofSeconds(16).toNanos());
    assertThat(send(set("a"), WITHIN)).succeedsWithin(PATIENCE);
    assertThat(proxy.requests()).as("those that connect, too").isGreaterThan(before + 1);
    await().until(() -> proxy.connections() == 1);
    int requests = proxy.requests();
    assertThat(send(set("b"), WITHIN)).succeedsWithin(PATIENCE);
    assertThat(proxy.requests()).as("one that is in use is kept").isEqualTo(requests + 1);
  }

  @Test
  void aServerThatBecameAReplicaIsLeft() {
    AtomicLong takeOvers = new AtomicLong();
    wire.onTakeOver(
        () -> {
          takeOvers.incrementAndGet();
          return CompletableFuture.completedFuture(null);
        });
    Object demoted = server.command("REPLICAOF", "127.0.0.1", "1");
    try {
      assertThat(demoted).isEqualTo("OK");
      List<Object> answers = send(set("a"), WITHIN).join();
      assertThat(answers.get(0)).isInstanceOf(ServerError.class);
      await().until(() -> proxy.connections() == 0);
      await().until(() -> takeOvers.get() == 1);
    } finally {
      Object promoted = server.command("REPLICAOF", "NO", "ONE");
      assertThat(promoted).isEqualTo("OK");
    }
    assertThat(send(set("b"), WITHIN)).succeedsWithin(PATIENCE);
  }

  @Test
  void closingFailsWhatIsUnderWayAndWhatComes() {
    proxy.stall(Direction.TO_CLIENT);
    CompletableFuture<List<Object>> under = send(set("a"), WITHIN);
    await().until(() -> stored("a").equals(1L));
    wire.close();
    requireFailure(under, Failure.UNKNOWN_OUTCOME, "was closed");
    requireFailure(send(set("b"), WITHIN), Failure.UNAVAILABLE, "was closed");
    assertThat(stored("b")).isEqualTo(0L);
  }
}
