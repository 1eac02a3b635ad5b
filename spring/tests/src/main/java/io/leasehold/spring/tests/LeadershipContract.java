package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.spring.LeadershipCandidate;
import io.leasehold.spring.LeadershipEvent;
import io.leasehold.spring.Leaderships;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Two instances of an application that elect a leader, in memory. */
public abstract class LeadershipContract {
  private final InMemoryServer server = new InMemoryServer();

  private ApplicationContextRunner instance(FaultyStore store, Heard heard) {
    return Contexts.with()
        .withBean(
            LockClient.class,
            () ->
                Leasehold.builder(store)
                    .ttl(Duration.ofMillis(1500))
                    .requestTimeout(Duration.ofMillis(200))
                    .build())
        .withBean(Heard.class, () -> heard);
  }

  @Test
  void listenersHearOfTheElectionTheJeopardyAndTheLoss() {
    FaultyStore store = new FaultyStore(server);
    Heard one = new Heard();
    Heard two = new Heard();
    instance(store, one)
        .withPropertyValues("leasehold.leadership[0]=scheduler")
        .run(
            first -> {
              await().until(() -> one.events.contains("Elected"));
              Leaderships here = first.getBean(Leaderships.class);
              assertThat(here.isLeader("scheduler")).isTrue();
              assertThat(here.isLeader("unknown")).isFalse();
              instance(new FaultyStore(server), two)
                  .withBean(
                      LeadershipCandidate.class,
                      () -> new LeadershipCandidate("scheduler", LockOptions.defaults()))
                  .run(
                      second -> {
                        store.cut();
                        await().until(() -> two.events.contains("Elected"));
                        await().until(() -> one.events.contains("Lost"));
                        assertThat(one.events).startsWith("Elected", "Jeopardy", "Lost");
                        assertThat(here.isLeader("scheduler")).isFalse();
                        assertThat(second.getBean(Leaderships.class).get("scheduler").isLeader())
                            .isTrue();
                        store.heal();
                      });
              // The end of the second context is a resignation, and no loss
              assertThat(two.events).containsExactly("Elected", "Resigned", "the end of beans");
              await().until(() -> here.isLeader("scheduler"));
              await().until(() -> one.count("Elected") == 2);
            });
    assertThat(one.events).endsWith("Elected", "Resigned", "the end of beans");
    // Each is told once
    assertThat(one.events)
        .filteredOn(List.of("Elected", "Lost", "Resigned")::contains)
        .containsExactly("Elected", "Lost", "Elected", "Resigned");
    assertThat(server.list()).isEmpty();
  }

  @Test
  void allIsToldOnTheThreadOfTheLeadershipAlsoWhileTheContextCloses() {
    Heard heard = new Heard();
    instance(new FaultyStore(server), heard)
        .withPropertyValues("leasehold.leadership[0]=scheduler")
        .run(context -> await().until(() -> heard.count("Elected") == 1));
    assertThat(heard.events).containsExactly("Elected", "Resigned", "the end of beans");
    assertThat(heard.threads)
        .hasSize(2)
        .doesNotContain(Thread.currentThread().getName())
        .allMatch(name -> name.contains("leader"));
  }

  /** Hears what is published, as long as there are beans. */
  static class Heard implements DisposableBean {
    final List<String> events = new CopyOnWriteArrayList<>();
    final List<String> threads = new CopyOnWriteArrayList<>();

    @EventListener
    void hear(LeadershipEvent event) {
      assertThat(event.name()).isEqualTo("scheduler");
      threads.add(Thread.currentThread().getName());
      events.add(event.getClass().getSimpleName());
    }

    long count(String event) {
      return events.stream().filter(event::equals).count();
    }

    @Override
    public void destroy() {
      events.add("the end of beans");
    }
  }
}
