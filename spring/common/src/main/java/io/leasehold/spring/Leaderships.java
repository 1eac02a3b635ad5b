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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

  /** How long the end of the context waits for listeners that hear of the end of a term. */
  private static final Duration LAST_WORD = Duration.ofSeconds(5);

  private static final System.Logger LOG = System.getLogger(Leaderships.class.getName());

  private final LockClient locks;
  private final List<LeadershipCandidate> candidates;
  private final ApplicationEventPublisher events;
  private final Map<String, Candidacy> running = new ConcurrentHashMap<>();
  private volatile boolean started;

  private record Candidacy(Leadership leadership, Published published) {}

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
    Candidacy candidacy = running.get(name);
    return candidacy != null && candidacy.leadership().isLeader();
  }

  /**
   * The candidacy of this instance.
   *
   * @throws IllegalStateException if there is none with this name, or the context does not run
   */
  public Leadership get(String name) {
    Candidacy candidacy = running.get(name);
    if (candidacy == null) {
      throw new IllegalStateException(
          "no candidate for '" + name + "' runs here; there are " + running.keySet());
    }
    return candidacy.leadership();
  }

  @Override
  public void start() {
    started = true;
    for (LeadershipCandidate each : candidates) {
      Published published = new Published(each.name());
      running.put(
          each.name(),
          new Candidacy(locks.leadership(each.name(), each.options(), published), published));
    }
  }

  @Override
  public void stop() {
    started = false;
    for (Candidacy each : running.values()) {
      try {
        each.leadership().resign();
        each.published().awaitEnd();
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

    /** Open once the end of the present term is published. */
    private volatile CountDownLatch end = new CountDownLatch(0);

    private volatile @Nullable Thread publishing;

    Published(String name) {
      this.name = name;
    }

    /** Beans are destroyed after this, and should not hear of the end only then. */
    void awaitEnd() {
      if (Thread.currentThread().equals(publishing)) {
        return; // A listener stops the context, and hears of the end when it has returned
      }
      try {
        if (!end.await(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.log(Level.WARNING, "a listener of leadership ''{0}'' still runs", name);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void publish(LeadershipEvent event) {
      publishing = Thread.currentThread();
      try {
        events.publishEvent(event);
      } finally {
        publishing = null;
      }
    }

    private void publishEnd(LeadershipEvent event) {
      try {
        publish(event);
      } finally {
        end.countDown();
      }
    }

    @Override
    public void elected(Lease term) {
      end = new CountDownLatch(1);
      publish(new LeadershipEvent.Elected(name, term));
    }

    @Override
    public void jeopardy(Duration remaining) {
      publish(new LeadershipEvent.Jeopardy(name, remaining));
    }

    @Override
    public void recovered() {
      publish(new LeadershipEvent.Recovered(name));
    }

    @Override
    public void lost(LockEvent.Lost.Reason reason) {
      publishEnd(new LeadershipEvent.Lost(name, reason));
    }

    @Override
    public void failed(RuntimeException why) {
      publish(new LeadershipEvent.Failed(name, why));
    }

    @Override
    public void resigned() {
      publishEnd(new LeadershipEvent.Resigned(name));
    }
  }
}
