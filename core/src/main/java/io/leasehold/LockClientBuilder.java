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

/** Makes a {@link LockClient}. Not thread-safe. From {@link Leasehold#builder}. */
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

  /** How long {@link LockClient#close()} may take, in all. Default 10 s. */
  public LockClientBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = requirePositive(timeout, "closeTimeout");
    return this;
  }

  /**
   * Lets {@link LockClient#close()} wait until holders have released what they hold, so that the
   * work which runs may end under its lock. It waits for as much of the close timeout as leaves
   * time for one request, half of it at least; what is held then is lost as by default. Nothing new
   * is acquired meanwhile.
   */
  public LockClientBuilder closeWaitsForHolders() {
    this.closeWaitsForHolders = true;
    return this;
  }

  /**
   * How much longer a lock is handed from thread to thread of this process once another process
   * waits for it, and no more than 80 times in each millisecond of it, so that processes of
   * different speed get the same. Default 2 ms, 160 times. Longer raises throughput, and the wait
   * of the others by about as much for each process. Zero hands nothing over then.
   */
  public LockClientBuilder handOver(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("handOver must not be negative, but is " + time);
    }
    this.handOver = time;
    return this;
  }

  /**
   * Takes a store without fencing tokens, too. On such a store {@link Lease#fencingToken()} throws
   * {@link UnsupportedOperationException}, and nothing protects the data from a holder that was
   * paused for longer than its lease.
   */
  public LockClientBuilder acceptUnfenced() {
    required.remove(Trait.FENCING);
    return this;
  }

  /** Refuses a store that lacks this trait. {@link Trait#FENCING} is required by default. */
  public LockClientBuilder require(Trait trait) {
    required.add(Objects.requireNonNull(trait, "trait"));
    return this;
  }

  /**
   * Shows in whose course a lock is taken: a trace id beside host, process and thread, wherever a
   * holder is named. For example {@code traceId(() -> MDC.get("traceId"))}. Default none.
   *
   * @param current asked by each acquisition on the thread that asks for the lock, so it should be
   *     quick; null or empty for none. What it throws is logged, and there is none. The first 64
   *     characters count
   */
  public LockClientBuilder traceId(Supplier<@Nullable String> current) {
    this.traceId = Objects.requireNonNull(current, "current");
    return this;
  }

  /** Tells {@code listener} of every event from the start. */
  public LockClientBuilder listener(LockListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Opens the store. Takes bounded time.
   *
   * @throws StoreException if the store cannot be reached or refuses
   * @throws MissingTraitException if the store lacks a required trait; says what to write to accept
   *     that
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
