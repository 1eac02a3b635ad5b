package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs work once for each key; later calls replay its result. Create one per application and store.
 * Thread-safe.
 *
 * <pre>{@code
 * try (Idempotency idempotency = Idempotency.connect("file:/var/lib/app/once.db")) {
 *   var charge = idempotency.operation("charge", Codec.TEXT);
 *   String receipt = charge.execute(Key.of(user, header), Fingerprint.of(body), claim -> pay(order));
 * }
 * }</pre>
 *
 * <p>A call claims the key, runs the work, and stores its result: two requests to the store, or one
 * for a replay. The claim is a lease: this object extends it while the work runs, and it lapses if
 * the process dies. The store keeps the result for {@link Builder#keep}, which does not depend on
 * the life of a claim.
 */
public final class Idempotency implements AutoCloseable {
  private final IdempotencyStore store;
  private final Builder settings;
  private final Clock clock;
  private final Scheduler scheduler;
  private final SecureRandom random = new SecureRandom();

  /**
   * Keys whose work runs in this process: callers that wait for one need not ask the store
   * meanwhile.
   */
  private final Map<String, CompletableFuture<Boolean>> runningHere = new ConcurrentHashMap<>();

  private Idempotency(Builder settings, Clock clock, Scheduler scheduler) {
    this.store = settings.store;
    this.settings = settings;
    this.clock = clock;
    this.scheduler = scheduler;
  }

  /**
   * As {@code builder(IdempotencyStores.open(url)).build()}.
   *
   * @throws IllegalArgumentException if the URL is malformed
   * @throws io.leasehold.StoreException if the store cannot be reached, or refuses the client
   */
  public static Idempotency connect(String url) {
    return builder(IdempotencyStores.open(url)).build();
  }

  /** A builder on this store, which is closed with the built object. */
  public static Builder builder(IdempotencyStore store) {
    return new Builder(store);
  }

  /**
   * An operation. Equal keys of two operations are different.
   *
   * @param name its name, as {@code charge}; the same in all processes
   * @param codec the codec of its results
   */
  public <T> IdempotentOperation<T> operation(String name, Codec<T> codec) {
    return new IdempotentOperation<>(this, name, codec);
  }

  /**
   * Runs the work of a key once, with a text as its result: {@code operation("default",
   * Codec.TEXT).execute(key, fingerprint, action)}.
   */
  public <E extends Exception> String execute(
      String key, Fingerprint fingerprint, Action<String, E> action) throws E {
    return operation("default", Codec.TEXT).execute(Key.of(key), fingerprint, action);
  }

  /**
   * Deletes expired results and marks, in batches, until there are no more. Call it from a timer of
   * the application, once an hour, in one of its processes or in all. Only SQL stores need it.
   * Other calls may run at the same time.
   *
   * @param batch the largest number of rows that a statement deletes
   * @return the number of deleted rows
   */
  public long purge(int batch) {
    if (batch < 1) {
      throw new IllegalArgumentException("a batch has at least one row, not " + batch);
    }
    long all = 0;
    while (true) {
      int purged = store.purge(batch, settings.requestTimeout);
      all += purged;
      if (purged == 0) {
        return all;
      }
    }
  }

  /**
   * Ends the heartbeats and closes the store. The claims of work that still runs lapse. Idempotent.
   */
  @Override
  public void close() {
    scheduler.close();
    store.close();
  }

  IdempotencyStore store() {
    return store;
  }

  Builder settings() {
    return settings;
  }

  Clock clock() {
    return clock;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Map<String, CompletableFuture<Boolean>> runningHere() {
    return runningHere;
  }

  String newOwner() {
    byte[] id = new byte[16];
    random.nextBytes(id);
    return HexFormat.of().formatHex(id);
  }

  /** Configures an {@link Idempotency}. Not thread-safe. */
  public static final class Builder {
    private static final Duration SHORTEST_LIFE = Duration.ofMillis(100);
    private static final Duration LONGEST_LIFE = Duration.ofDays(30);

    private final IdempotencyStore store;
    Duration claimLife = Duration.ofSeconds(30);
    Duration keep = Duration.ofDays(1);
    Duration requestTimeout = Duration.ofSeconds(5);
    int maxResult = 1 << 20;
    boolean hashKeys;

    private Builder(IdempotencyStore store) {
      this.store = store;
    }

    private Builder(Builder from) {
      this(from.store);
      claimLife = from.claimLife;
      keep = from.keep;
      requestTimeout = from.requestTimeout;
      maxResult = from.maxResult;
      hashKeys = from.hashKeys;
    }

    /**
     * How long a claim lives after its process died, from 100 ms to 30 days. Default 30 s. This
     * does not limit the work, because the claim is extended while the work runs.
     */
    public Builder claimLife(Duration life) {
      if (life.compareTo(SHORTEST_LIFE) < 0 || life.compareTo(LONGEST_LIFE) > 0) {
        throw new IllegalArgumentException("a claim lives for 100 ms to 30 days, not " + life);
      }
      claimLife = life;
      return this;
    }

    /**
     * How long the store keeps a result or an unknown outcome, up to {@link
     * IdempotencyStore#FOREVER}. Default one day. Choose a longer time than clients retry.
     */
    public Builder keep(Duration time) {
      keep = requireKeep(time);
      return this;
    }

    static Duration requireKeep(Duration time) {
      if (time.compareTo(Duration.ofMillis(1)) < 0
          || time.compareTo(IdempotencyStore.FOREVER) > 0) {
        throw new IllegalArgumentException(
            "a result is kept for 1 ms to "
                + IdempotencyStore.FOREVER.toDays()
                + " days, not "
                + time);
      }
      return time;
    }

    /** How long a request to the store may take. Default 5 s. */
    public Builder requestTimeout(Duration timeout) {
      if (timeout.compareTo(Duration.ofMillis(10)) < 0) {
        throw new IllegalArgumentException("a request takes 10 ms at least, not " + timeout);
      }
      requestTimeout = timeout;
      return this;
    }

    /**
     * The largest result that the store keeps, in bytes, up to 8 MiB. Default 1 MiB. The call that
     * makes a larger result returns it; later calls throw {@link ResultUnavailableException}, and
     * the work does not run again.
     */
    public Builder maxResult(int bytes) {
      if (bytes < 0 || bytes > IdempotencyStore.MAX_RESULT) {
        throw new IllegalArgumentException(
            "a result has 0 to " + IdempotencyStore.MAX_RESULT + " bytes at most, not " + bytes);
      }
      maxResult = bytes;
      return this;
    }

    /**
     * Stores the SHA-256 of keys instead of the keys, so that readers of the store cannot read
     * them. Keys that can be guessed can still be found. All processes must use this setting, or
     * none.
     */
    public Builder hashKeys() {
      hashKeys = true;
      return this;
    }

    /** Builds the object, which owns the store. */
    public Idempotency build() {
      return build(new SystemClock(), new Threads());
    }

    Idempotency build(Clock clock, Scheduler scheduler) {
      return new Idempotency(new Builder(this), clock, scheduler);
    }
  }
}
