package io.leasehold;

import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Configures and opens a {@link LockClient}; from {@link Leasehold#builder}. Not thread-safe. */
public final class LockClientBuilder {
  static final int DEFAULT_TTL_SECONDS = 30;

  private final StoreFactory factory;
  private Optional<Duration> ttl = Optional.empty();
  private Duration requestTimeout = Duration.ofSeconds(5);
  private Duration closeTimeout = Duration.ofSeconds(10);
  private boolean closeWaitsForHolders;
  private Duration handOver = Duration.ofMillis(2);
  private Supplier<@Nullable String> traceId = () -> null;
  private final Set<Trait> required = EnumSet.of(Trait.FENCING);
  private final List<LockListener> listeners = new ArrayList<>();

  LockClientBuilder(StoreFactory factory) {
    this.factory = Objects.requireNonNull(factory, "factory");
  }

  /**
   * How long the store keeps a lease without renewal, unless a lock's options say otherwise.
   * Default 30 s.
   */
  public LockClientBuilder ttl(Duration newTtl) {
    this.ttl = Optional.of(requirePositive(newTtl, "ttl"));
    return this;
  }

  /**
   * How long one request to the store may take before its outcome counts as unknown. Default 5 s.
   */
  public LockClientBuilder requestTimeout(Duration timeout) {
    this.requestTimeout = requirePositive(timeout, "requestTimeout");
    return this;
  }

  /** How long {@link LockClient#close()} may take in total. Default 10 s. */
  public LockClientBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = requirePositive(timeout, "closeTimeout");
    return this;
  }

  /**
   * Makes {@link LockClient#close()} wait until the holders have released their leases, so that
   * running work ends under its lock. The wait lasts at most the close timeout minus the time for
   * one request, or half the close timeout if that is longer; leases that are still held then are
   * lost, as by default. No lock is acquired meanwhile.
   */
  public LockClientBuilder closeWaitsForHolders() {
    this.closeWaitsForHolders = true;
    return this;
  }

  /**
   * How long the threads of this process may hand a lock over among themselves once another process
   * waits for it; and at most 80 times per millisecond of it, so that processes of different speed
   * get equal shares. Default 2 ms, 160 times. A longer time raises throughput, and makes the other
   * processes wait longer by about the same time for each process. With zero, the process gives the
   * lock up at once.
   */
  public LockClientBuilder handOver(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("handOver must not be negative, but is " + time);
    }
    this.handOver = time;
    return this;
  }

  /**
   * Accepts a store without fencing tokens. On such a store {@link Lease#fencingToken()} throws
   * {@link UnsupportedOperationException}, and nothing protects the data from a holder that was
   * paused for longer than its lease.
   */
  public LockClientBuilder acceptUnfenced() {
    required.remove(Trait.FENCING);
    return this;
  }

  /**
   * Makes {@link #build()} refuse a store that lacks this trait. {@link Trait#FENCING} is required
   * by default.
   */
  public LockClientBuilder require(Trait trait) {
    required.add(Objects.requireNonNull(trait, "trait"));
    return this;
  }

  /**
   * Adds a trace id to host, process and thread wherever a holder is named, to show which request
   * it works for. For example {@code traceId(() -> MDC.get("traceId"))}. Default none.
   *
   * @param current called for each acquisition on the thread that asks for the lock, so it should
   *     be fast; returns null or an empty string for none. If it throws, the exception is logged
   *     and there is no trace id. Only the first 64 characters are used
   */
  public LockClientBuilder traceId(Supplier<@Nullable String> current) {
    this.traceId = Objects.requireNonNull(current, "current");
    return this;
  }

  /** Adds a listener, which receives every event from the start of the client. */
  public LockClientBuilder listener(LockListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Opens the store. Takes bounded time.
   *
   * @throws StoreException if the store cannot be reached, or refuses the client
   * @throws MissingTraitException if the store lacks a required trait; the message says which
   *     setting to change
   * @throws IllegalArgumentException if the ttl is outside the store's limits
   */
  public LockClient build() {
    return Engine.open(
        factory,
        new EngineConfig(
            ttl,
            Duration.ofSeconds(DEFAULT_TTL_SECONDS),
            requestTimeout,
            closeTimeout,
            closeWaitsForHolders,
            handOver,
            traceId,
            Set.copyOf(required),
            List.copyOf(listeners)));
  }

  private static Duration requirePositive(Duration d, String what) {
    if (d.isNegative() || d.isZero()) {
      throw new IllegalArgumentException(what + " must be positive, but is " + d);
    }
    return d;
  }
}
