package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.spi.support.VirtualThreads;
import io.leasehold.spring.Idempotent;
import io.leasehold.spring.Locked;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application whose threads are virtual, on H2. */
@Tag("jdk")
@EnabledForJreRange(min = JRE.JAVA_21)
public abstract class VirtualThreadsContract {
  private static final int CALLS = 200;

  @Test
  void methodsAreLockedAndRunOnceOnVirtualThreads() {
    List<String> boot = new java.util.ArrayList<>(Line.here().jdbc());
    boot.addAll(Line.here().json());
    Contexts.with(boot)
        .withConfiguration(
            AutoConfigurations.of(
                TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
        .withUserConfiguration(Scheduling.class)
        .withBean(Counter.class)
        .withPropertyValues(
            "spring.threads.virtual.enabled=true",
            "spring.datasource.url=jdbc:h2:mem:virtual",
            "leasehold.create-tables=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Counter counter = context.getBean(Counter.class);
              Executor threads = context.getBean("applicationTaskExecutor", Executor.class);
              List<CompletableFuture<Integer>> calls =
                  IntStream.range(0, CALLS)
                      .mapToObj(
                          i ->
                              CompletableFuture.supplyAsync(
                                  () -> {
                                    counter.count();
                                    return counter.once("key");
                                  },
                                  threads))
                      .toList();
              Set<Integer> answers =
                  calls.stream().map(CompletableFuture::join).collect(Collectors.toSet());
              assertThat(counter.counted()).isEqualTo(CALLS);
              assertThat(answers).hasSize(1);
              await().until(() -> !counter.ran().isEmpty());
              // An older JDK has none, and all is as without the property
              assertThat(counter.ran()).containsOnly(Runtime.version().feature() >= 21);
            });
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {}

  /** What loses a count unless one thread at a time counts. */
  static class Counter {
    private final Queue<Boolean> ran = new ConcurrentLinkedQueue<>();
    private int count;

    @Locked(value = "counter", maxWait = "2m")
    public void count() {
      ran.add(VirtualThreads.isVirtual(Thread.currentThread()));
      int before = count;
      Thread.onSpinWait();
      count = before + 1;
    }

    @Locked(value = "counter", maxWait = "2m")
    public int counted() {
      return count;
    }

    @Idempotent(
        value = "#{#key}",
        operation = "once",
        whileRunning = io.leasehold.idempotency.WhileRunning.Way.WAIT,
        maxWait = "2m")
    public int once(String key) {
      return key.length() + count;
    }

    @Scheduled(fixedDelay = 20)
    @Locked("scheduled")
    public void scheduled() {
      ran.add(VirtualThreads.isVirtual(Thread.currentThread()));
    }

    public Queue<Boolean> ran() {
      return ran;
    }
  }
}
