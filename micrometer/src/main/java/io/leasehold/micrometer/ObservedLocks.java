package io.leasehold.micrometer;

import static java.util.Objects.requireNonNull;

import io.leasehold.DistributedLock;
import io.leasehold.LockedCall;
import io.leasehold.LockedRun;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs code under a lock, as two observations: {@code leasehold.wait} until the lock is held, and
 * {@code leasehold.guarded} while the code runs. So a trace shows the wait and the work apart.
 * Immutable and thread-safe.
 *
 * <pre>{@code
 * ObservedLocks observed = new ObservedLocks(observations);
 * observed.withLock(locks.lock("invoice-run"), Duration.ofSeconds(5), lease -> post(lease));
 * }</pre>
 *
 * <p>Both have the key {@code template}, {@code all} unless {@link #withTemplate} says otherwise,
 * and the observation that is current when the code is called is the parent of both. A wait that
 * ends without the lock is an error of {@code leasehold.wait}; what the code throws is one of
 * {@code leasehold.guarded}.
 */
public final class ObservedLocks {
  private final ObservationRegistry registry;
  private final Function<String, String> template;

  /** Observes by this registry, all names under one template. */
  public ObservedLocks(ObservationRegistry registry) {
    this(registry, name -> "all");
  }

  private ObservedLocks(ObservationRegistry registry, Function<String, String> template) {
    this.registry = requireNonNull(registry, "registry");
    this.template = requireNonNull(template, "template");
  }

  /** As {@link LockMetrics#withTemplate}. */
  public ObservedLocks withTemplate(Function<String, String> newTemplate) {
    return new ObservedLocks(registry, newTemplate);
  }

  /** As {@link DistributedLock#withLock(Duration, LockedRun)}, observed. */
  public <E extends Exception> void withLock(
      DistributedLock lock, Duration maxWait, LockedRun<E> work) throws E, InterruptedException {
    this.<Boolean, E>callWithLock(
        lock,
        maxWait,
        lease -> {
          work.run(lease);
          return true;
        });
  }

  /** As {@link DistributedLock#callWithLock(Duration, LockedCall)}, observed. */
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      DistributedLock lock, Duration maxWait, LockedCall<T, E> work)
      throws E, InterruptedException {
    Observation wait = observation("leasehold.wait", lock).start();
    AtomicBoolean granted = new AtomicBoolean();
    try {
      return lock.<T, E>callWithLock(
          maxWait,
          lease -> {
            granted.set(true);
            wait.stop();
            return observation("leasehold.guarded", lock)
                .<T, E>observeChecked(() -> work.call(lease));
          });
    } catch (Throwable thrown) {
      if (!granted.get()) {
        wait.error(thrown).stop();
      }
      throw thrown;
    }
  }

  private Observation observation(String name, DistributedLock lock) {
    return Observation.createNotStarted(name, registry)
        .lowCardinalityKeyValue("template", template.apply(lock.name()));
  }
}
