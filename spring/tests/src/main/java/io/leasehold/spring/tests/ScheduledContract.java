package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.spring.Locked;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Two instances of an application with the same scheduled jobs, in memory. */
public abstract class ScheduledContract {
  private final InMemoryServer server = new InMemoryServer();
  private final AtomicInteger daily = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger mostInside = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);

  private ApplicationContextRunner instance(Jobs jobs) {
    return Contexts.with()
        .withUserConfiguration(Scheduling.class)
        .withBean(LockClient.class, () -> Leasehold.builder(server).build())
        .withBean(Jobs.class, () -> jobs);
  }

  @Test
  void aJobRunsOnOneInstanceAndTheOtherSkipsIt() {
    Jobs one = new Jobs(this);
    Jobs two = new Jobs(this);
    instance(one)
        .run(
            first ->
                instance(two)
                    .run(
                        second -> {
                          // The thread of one is in the long job, the other goes on without it
                          patiently()
                              .until(
                                  () ->
                                      inside.get() > 1
                                          || (inside.get() == 1 && (one.went() || two.went())));
                          end.countDown();
                          patiently().until(() -> one.went() && two.went());
                          assertThat(mostInside).hasValue(1);
                          assertThat(daily).hasValue(1);
                        }));
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(2));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {}

  /** What both instances would do. They have one thread each for it. */
  static class Jobs {
    private final ScheduledContract test;
    private final AtomicInteger rounds = new AtomicInteger();

    Jobs(ScheduledContract test) {
      this.test = test;
    }

    /** Whether this instance has tried each job. */
    boolean went() {
      return rounds.get() >= 5;
    }

    @Scheduled(fixedDelay = 10)
    public void goesRound() {
      rounds.incrementAndGet();
    }

    @Scheduled(fixedDelay = 10)
    @Locked(value = "daily", minHold = "10m")
    public void daily() {
      test.daily.incrementAndGet();
    }

    @Scheduled(fixedDelay = 10)
    @Locked("long")
    public void takesLong() throws InterruptedException {
      int now = test.inside.incrementAndGet();
      test.mostInside.accumulateAndGet(now, Math::max);
      test.end.await();
      test.inside.decrementAndGet();
    }
  }
}
