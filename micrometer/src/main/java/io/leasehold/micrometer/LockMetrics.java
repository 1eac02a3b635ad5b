package io.leasehold.micrometer;

import static java.util.Objects.requireNonNull;

import io.leasehold.ClientSnapshot;
import io.leasehold.LockClient;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.spi.FenceNumber;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The meters of one client. Immutable; {@link #bindTo} adds them to a registry.
 *
 * <pre>{@code
 * new LockMetrics(locks).withTemplate(name -> name.replaceAll("\\d+", "#")).bindTo(registry);
 * }</pre>
 *
 * <p>Timers {@code leasehold.acquire} (the wait of each grant), {@code leasehold.handover} (the
 * same, of those that a thread of this process handed over, or that joined a shared lease) and
 * {@code leasehold.hold} (of leases that were released). Counters {@code leasehold.timeouts} (waits
 * that ended without the lock: at the deadline, by interrupt or cancellation), {@code
 * leasehold.lost} (by reason), {@code leasehold.jeopardy}, {@code leasehold.renewals} (by outcome:
 * renewed, failed) and {@code leasehold.unknown} (by request). Gauges {@code leasehold.held} and
 * {@code leasehold.waiting}.
 *
 * <p>All have the tag {@code store}; all but the gauges have the tag {@code template}, which is
 * {@code all} unless {@link #withTemplate} says otherwise: lock names are often data, and each
 * different one would be a time series.
 */
public final class LockMetrics implements MeterBinder {
  private final LockClient locks;
  private final Function<String, String> template;

  /** The meters of this client, all names under one template. */
  public LockMetrics(LockClient locks) {
    this(locks, name -> "all");
  }

  private LockMetrics(LockClient locks, Function<String, String> template) {
    this.locks = requireNonNull(locks, "locks");
    this.template = requireNonNull(template, "template");
  }

  /**
   * Groups the names.
   *
   * @param newTemplate yields the tag {@code template} of a lock name; few different ones. {@code
   *     Function.identity()} makes a time series of each name
   */
  public LockMetrics withTemplate(Function<String, String> newTemplate) {
    return new LockMetrics(locks, newTemplate);
  }

  /** Adds the meters to this registry, for as long as the client is open. */
  @Override
  public void bindTo(MeterRegistry registry) {
    Tags store = Tags.of("store", locks.snapshot().store());
    gauge(registry, "leasehold.held", "leases of this client", store, ClientSnapshot::held);
    gauge(registry, "leasehold.waiting", "callers that wait", store, ClientSnapshot::waiting);
    locks.addListener(new Recorder(registry, store, template));
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String says,
      Tags tags,
      ToIntFunction<ClientSnapshot> value) {
    // Strongly held: the meter is all that an application may keep of it
    Gauge.builder(name, locks, client -> value.applyAsInt(client.snapshot()))
        .description(says)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  /** Hears the events of the client, one after another. */
  private static final class Recorder implements LockListener {
    private final MeterRegistry registry;
    private final Tags store;
    private final Function<String, String> template;
    private final Map<String, Meters> meters = new ConcurrentHashMap<>();

    Recorder(MeterRegistry registry, Tags store, Function<String, String> template) {
      this.registry = registry;
      this.store = store;
      this.template = template;
    }

    @Override
    public void on(LockEvent event) {
      if (event.name().isEmpty()) {
        // Of the store
        return;
      }
      String named = template.apply(event.name());
      Meters theirs = meters.get(named);
      if (theirs == null) {
        theirs = new Meters(registry, store.and("template", named));
        meters.put(named, theirs);
      }
      theirs.record(event);
    }
  }

  /** Of one template: all are there from its first event on, since a rate needs a zero before. */
  private static final class Meters {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Timer acquire;
    private final Timer handOver;
    private final Timer hold;
    private final Counter timeouts;
    private final Counter jeopardy;
    private final Counter renewed;
    private final Counter renewalFailed;
    private final Counter unknownAttempt;
    private final Counter unknownRelease;
    private final Map<LockEvent.Lost.Reason, Counter> lost =
        new EnumMap<>(LockEvent.Lost.Reason.class);

    Meters(MeterRegistry registry, Tags tags) {
      this.registry = registry;
      this.tags = tags;
      acquire = timer("leasehold.acquire", "the wait for each lease that was granted");
      handOver = timer("leasehold.handover", "the wait for each lease passed on in this process");
      hold = timer("leasehold.hold", "how long leases were held that were released");
      timeouts = counter("leasehold.timeouts", "waits that ended without the lock", Tags.empty());
      jeopardy = counter("leasehold.jeopardy", "leases whose renewal keeps failing", Tags.empty());
      renewed = renewals("renewed");
      renewalFailed = renewals("failed");
      unknownAttempt = unknown("attempt");
      unknownRelease = unknown("release");
      for (LockEvent.Lost.Reason reason : LockEvent.Lost.Reason.values()) {
        Tags why = Tags.of("reason", reason.name().toLowerCase(Locale.ROOT));
        lost.put(reason, counter("leasehold.lost", "leases that were lost", why));
      }
    }

    private Timer timer(String name, String says) {
      return Timer.builder(name).description(says).tags(tags).register(registry);
    }

    private Counter counter(String name, String says, Tags more) {
      return Counter.builder(name).description(says).tags(tags).tags(more).register(registry);
    }

    private Counter renewals(String outcome) {
      return counter("leasehold.renewals", "renewals of leases", Tags.of("outcome", outcome));
    }

    private Counter unknown(String request) {
      return counter(
          "leasehold.unknown", "requests without an answer", Tags.of("request", request));
    }

    void record(LockEvent event) {
      if (event instanceof LockEvent.Acquired acquired) {
        acquire.record(acquired.waited());
        if ((acquired.fencingToken() & FenceNumber.MAX_HAND_OVERS) != 0) {
          handOver.record(acquired.waited());
        }
      } else if (event instanceof LockEvent.Released released) {
        hold.record(released.held());
      } else if (event instanceof LockEvent.GaveUp) {
        timeouts.increment();
      } else if (event instanceof LockEvent.Lost over) {
        requireNonNull(lost.get(over.reason())).increment();
      } else if (event instanceof LockEvent.Jeopardy) {
        jeopardy.increment();
      } else if (event instanceof LockEvent.Renewed) {
        renewed.increment();
      } else if (event instanceof LockEvent.RenewalFailed) {
        renewalFailed.increment();
      } else if (event instanceof LockEvent.UnknownOutcome unknown) {
        (unknown.request().equals("release") ? unknownRelease : unknownAttempt).increment();
      }
    }
  }
}
