package io.leasehold.consul;

import io.leasehold.consul.Agent.Answer;
import io.leasehold.sessions.Session.Watcher;
import io.leasehold.spi.support.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Blocking queries: one for each key that is watched, whatever the number of its watchers. One that
 * is not needed any more ends by itself. Thread-safe.
 */
final class Watches {
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** The agent adds up to a sixteenth. */
  private static final Duration ANSWER = WAIT.multipliedBy(17).dividedBy(16).plusSeconds(5);

  private static final long PAUSE_NANOS = 1_000_000_000;

  private final Agent agent;
  private final Scheduler scheduler;
  private final Map<String, List<Watcher>> watchers = new ConcurrentHashMap<>();

  Watches(Agent agent, Scheduler scheduler) {
    this.agent = agent;
    this.scheduler = scheduler;
  }

  /**
   * Watches a key.
   *
   * @param index of the state in which it was seen
   */
  void add(String key, long index, Watcher watcher) {
    List<Watcher> all =
        watchers.merge(
            key,
            List.of(watcher),
            (known, one) -> Stream.concat(known.stream(), one.stream()).toList());
    if (all.size() == 1) {
      String path = Agent.path(key) + "?index=" + index;
      CompletableFuture<Answer> unused =
          agent
              .get(path + "&wait=" + WAIT.toSeconds() + "s", ANSWER)
              .whenComplete(
                  // What failed would fail again at once
                  (answer, failed) -> {
                    boolean isGone = failed == null && isGone(answer, index);
                    long pause = failed == null ? 0 : PAUSE_NANOS;
                    scheduler.schedule(() -> tell(key, isGone), pause);
                  });
    }
  }

  /** A server that is behind does not have it yet. */
  private static boolean isGone(Answer answer, long index) {
    return answer.status() == 404 && answer.index() > index;
  }

  /** It changed, or is gone, or nothing happened for long. */
  private void tell(String key, boolean isGone) {
    List<Watcher> told = watchers.remove(key);
    if (told != null) {
      told.forEach(each -> each.changed(isGone));
    }
  }
}
