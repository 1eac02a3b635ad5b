package io.leasehold.testkit.contract;

import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.ScoreCard.Score;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.engine.support.store.Namespace;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the contract from a program, and keeps the score. Immutable.
 *
 * <pre>{@code
 * System.out.println(ContractRun.on(RedissonFixture::new).run().table());
 * }</pre>
 */
public final class ContractRun {
  static final String SPACE_NAME = "io.leasehold.testkit.contract";
  static final String FIXTURE = "fixture";
  private static final Duration LONGEST = Duration.ofHours(1);

  private final Supplier<? extends ContractFixture> fixture;
  private final Duration patience;
  private final int tests;
  private final Predicate<String> chosen;

  private ContractRun(
      Supplier<? extends ContractFixture> fixture,
      Duration patience,
      int tests,
      Predicate<String> chosen) {
    this.fixture = Objects.requireNonNull(fixture, "fixture");
    this.patience = patience;
    this.tests = tests;
    this.chosen = chosen;
  }

  /** On fixtures that this makes, one for each test; each test waits for 30 s at most, alone. */
  public static ContractRun on(Supplier<? extends ContractFixture> fixture) {
    return new ContractRun(fixture, Duration.ofSeconds(30), 1, test -> true);
  }

  /** How long one wait of a test may take. */
  public ContractRun withPatience(Duration newPatience) {
    return new ContractRun(fixture, newPatience, tests, chosen);
  }

  /** How many tests may run beside each other. */
  public ContractRun withTestsAtOnce(int count) {
    return new ContractRun(fixture, patience, count, chosen);
  }

  /** Runs only the tests whose method names fulfil this. */
  public ContractRun only(Predicate<String> newChoice) {
    return new ContractRun(fixture, patience, tests, newChoice);
  }

  /**
   * Runs all tests, and waits for their end. On a thread of its own: the one that calls may be a
   * test's, and belong to another run.
   */
  public ScoreCard run() throws InterruptedException {
    Caller<ScoreCard> run = new Caller<>(new ThreadGroup("contract"), LONGEST, this::launch);
    try {
      return run.result();
    } catch (InterruptedException e) {
      run.interrupt();
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the contract could not be run", e);
    }
  }

  private ScoreCard launch() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(LaunchedContract.class))
            .filters((PostDiscoveryFilter) this::choose)
            .configurationParameter(ContractExtension.PATIENCE, patience.toString())
            .configurationParameter(
                "junit.jupiter.execution.parallel.enabled", String.valueOf(tests > 1))
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.executor-service", "WORKER_THREAD_POOL")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism", String.valueOf(tests))
            .build();
    LauncherConfig plain =
        LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .build();
    Scores scores = new Scores();
    try (LauncherSession session = LauncherFactory.openSession(plain)) {
      session.getStore().put(Namespace.create(SPACE_NAME), FIXTURE, fixture);
      session.getLauncher().execute(request, scores);
    }
    return new ScoreCard(List.copyOf(scores.ended));
  }

  private FilterResult choose(TestDescriptor test) {
    boolean isChosen = test.getSource().map(this::isChosen).orElse(true);
    return FilterResult.includedIf(isChosen);
  }

  private boolean isChosen(TestSource source) {
    return !(source instanceof MethodSource method) || chosen.test(method.getMethodName());
  }

  private static final class Scores implements TestExecutionListener {
    private final ConcurrentLinkedQueue<Score> ended = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Clock clock = new SystemClock();

    @Override
    public void executionStarted(TestIdentifier test) {
      begun.put(test.getUniqueId(), clock.nanos());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      test.getSource()
          .filter(MethodSource.class::isInstance)
          .map(MethodSource.class::cast)
          .ifPresent(method -> ended.add(score(method.getMethodName(), test, result)));
    }

    private Score score(String name, TestIdentifier test, TestExecutionResult result) {
      long began = begun.getOrDefault(test.getUniqueId(), clock.nanos());
      Outcome outcome =
          switch (result.getStatus()) {
            case SUCCESSFUL -> Outcome.PASSED;
            case FAILED -> Outcome.FAILED;
            case ABORTED -> Outcome.NOT_CLAIMED;
          };
      return new Score(
          Integer.parseInt(name.substring(1, 3)),
          name,
          test.getDisplayName(),
          outcome,
          result.getThrowable().map(Throwable::toString).orElse(""),
          Duration.ofNanos(clock.nanos() - began));
    }
  }
}
