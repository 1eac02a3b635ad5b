package io.leasehold.testkit.simulation;

import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What happened, as compact text: one line for each event. */
final class Trace {
  private final boolean on;
  private final Timeline time;
  private final StringBuilder text = new StringBuilder();
  private final Map<LeaseId, String> ids = new HashMap<>();
  private final Map<Long, String> clients = new HashMap<>();

  Trace(boolean on, Timeline time) {
    this.on = on;
    this.time = time;
  }

  /** Whether lines are kept; where not, callers need not make them. */
  boolean on() {
    return on;
  }

  void line(String who, String what) {
    if (on) {
      text.append(String.format(Locale.ROOT, "%11.6f ", time.now() / 1e9))
          .append(who)
          .append(' ')
          .append(what)
          .append('\n');
    }
  }

  /** Names the client that made these lease ids. */
  void name(long client, String name) {
    clients.putIfAbsent(client, name);
  }

  /** A lease id, short. */
  String id(LeaseId id) {
    return ids.computeIfAbsent(id, i -> clients.getOrDefault(i.client(), "?") + "#" + ids.size());
  }

  /** The answer to a verb. */
  static String show(Object result) {
    if (result instanceof Attempt.Granted g) {
      return "Granted "
          + g.number()
          + " "
          + Judge.ms(g.remaining().toNanos())
          + (g.wanted() ? " wanted" : "");
    }
    if (result instanceof Renewal.Renewed r) {
      return "Renewed " + Judge.ms(r.remaining().toNanos()) + (r.wanted() ? " wanted" : "");
    }
    if (result instanceof Attempt.Queued q) {
      return "Queued " + q.place();
    }
    return result == null
        ? "done"
        : result instanceof Record ? result.getClass().getSimpleName() : result.toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
