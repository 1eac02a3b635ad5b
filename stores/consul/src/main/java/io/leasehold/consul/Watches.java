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
import org.json.JSONArray;
import org.json.JSONException;

/**
 * Blocking queries: one for each entry that is watched, whatever the number of its watchers. One
 * that is not needed any more ends by itself. Thread-safe.
 */
final class Watches {
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** The agent adds up to a sixteenth. */
  private static final Duration ANSWER = WAIT.multipliedBy(17).dividedBy(16).plusSeconds(5);

  private static final long PAUSE_NANOS = 1_000_000_000;

  private final Agent agent;
  private final Scheduler scheduler;
  private final Map<Watched, List<Watcher>> watchers = new ConcurrentHashMap<>();

  private record Watched(String key, long number) {}

  Watches(Agent agent, Scheduler scheduler) {
    this.agent = agent;
    this.scheduler = scheduler;
  }

  /**
   * Watches the key of an entry.
   *
   * @param number the index of its creation; 0 for any entry that has the key
   * @param index of the state in which it was seen
   */
  void add(String key, long number, long index, Watcher watcher) {
    Watched watched = new Watched(key, number);
    List<Watcher> all =
        watchers.merge(
            watched,
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
                    boolean isGone = failed == null && isGone(answer, number, index);
                    long pause = failed == null ? 0 : PAUSE_NANOS;
                    scheduler.schedule(() -> tell(watched, isGone), pause);
                  });
    }
  }

  /** A server that is behind does not have it yet, or has an earlier one under the same key. */
  private static boolean isGone(Answer answer, long number, long index) {
    return answer.status() == 404
        ? answer.index() > index
        : number > 0 && answer.status() == 200 && created(answer) > number;
  }

  private static long created(Answer answer) {
    try {
      return new JSONArray(answer.body()).getJSONObject(0).getLong("CreateIndex");
    } catch (JSONException noAnswerOfConsul) {
      // Something has changed, whatever it is
      return 0;
    }
  }

  /** It changed, or is gone, or nothing happened for long. */
  private void tell(Watched watched, boolean isGone) {
    List<Watcher> told = watchers.remove(watched);
    if (told != null) {
      told.forEach(each -> each.changed(isGone));
    }
  }
}
