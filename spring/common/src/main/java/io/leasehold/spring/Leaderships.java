package io.leasehold.spring;

import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * The elections in which this instance of the application takes part: from the start of the
 * context, when all beans are there, until it stops. Then the leader resigns, so that another
 * instance leads at once. What becomes of them is published as a {@link LeadershipEvent}.
 * Thread-safe.
 *
 * <p>The starter defines it: with the names in {@code leasehold.leadership}, and every bean that is
 * a {@link LeadershipCandidate}.
 */
public final class Leaderships implements SmartLifecycle {
  /** Stops after schedulers and the web server, and before the client closes. */
  public static final int PHASE = 2;

  private static final System.Logger LOG = System.getLogger(Leaderships.class.getName());

  private final LockClient locks;
  private final List<LeadershipCandidate> candidates;
  private final ApplicationEventPublisher events;
  private final Map<String, Leadership> running = new ConcurrentHashMap<>();
  private volatile boolean started;

  /** The elections of these candidates. */
  public Leaderships(
      LockClient locks, List<LeadershipCandidate> candidates, ApplicationEventPublisher events) {
    this.locks = locks;
    this.candidates = List.copyOf(candidates);
    this.events = events;
    if (candidates.stream().map(LeadershipCandidate::name).distinct().count() < candidates.size()) {
      throw new IllegalArgumentException("a leadership has two candidates here: " + candidates);
    }
  }

  /** Whether this instance certainly leads at this moment, as {@link Leadership#isLeader()}. */
  public boolean isLeader(String name) {
    Leadership leadership = running.get(name);
    return leadership != null && leadership.isLeader();
  }

  /**
   * The candidacy of this instance.
   *
   * @throws IllegalStateException if there is none with this name, or the context does not run
   */
  public Leadership get(String name) {
    Leadership leadership = running.get(name);
    if (leadership == null) {
      throw new IllegalStateException(
          "no candidate for '" + name + "' runs here; there are " + running.keySet());
    }
    return leadership;
  }

  @Override
  public void start() {
    started = true;
    for (LeadershipCandidate each : candidates) {
      running.put(
          each.name(), locks.leadership(each.name(), each.options(), new Published(each.name())));
    }
  }

  @Override
  public void stop() {
    started = false;
    for (Leadership each : running.values()) {
      try {
        each.resign();
      } catch (StoreException e) {
        LOG.log(Level.DEBUG, "the client goes on releasing, or the ttl ends the lease", e);
      }
    }
    running.clear();
  }

  @Override
  public boolean isRunning() {
    return started;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /** Publishes what it hears. */
  private final class Published implements LeadershipListener {
    private final String name;

    Published(String name) {
      this.name = name;
    }

    @Override
    public void elected(Lease term) {
      events.publishEvent(new LeadershipEvent.Elected(name, term));
    }

    @Override
    public void jeopardy(Duration remaining) {
      events.publishEvent(new LeadershipEvent.Jeopardy(name, remaining));
    }

    @Override
    public void recovered() {
      events.publishEvent(new LeadershipEvent.Recovered(name));
    }

    @Override
    public void lost(LockEvent.Lost.Reason reason) {
      events.publishEvent(new LeadershipEvent.Lost(name, reason));
    }

    @Override
    public void failed(RuntimeException why) {
      events.publishEvent(new LeadershipEvent.Failed(name, why));
    }

    @Override
    public void resigned() {
      events.publishEvent(new LeadershipEvent.Resigned(name));
    }
  }
}
