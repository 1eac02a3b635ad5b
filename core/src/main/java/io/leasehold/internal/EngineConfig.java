package io.leasehold.internal;

import io.leasehold.Trait;
import io.leasehold.event.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one client.
 *
 * @param ttl the ttl that the user chose for the client
 * @param defaultTtl the ttl if none was chosen; moved inside the store's limits
 * @param requestTimeout how long one request may take
 * @param closeTimeout how long close may take
 * @param closeWaitsForHolders whether close waits, for a part of that, until what is held is
 *     released
 * @param handOver how much longer a wanted lease is handed over locally
 * @param traceId in whose course a lock is taken
 * @param required traits without which the store is refused
 * @param listeners told of every event from the start
 */
public record EngineConfig(
    Optional<Duration> ttl,
    Duration defaultTtl,
    Duration requestTimeout,
    Duration closeTimeout,
    boolean closeWaitsForHolders,
    Duration handOver,
    Supplier<@Nullable String> traceId,
    Set<Trait> required,
    List<LockListener> listeners) {

  /** One whose close does not wait for holders. */
  public EngineConfig(
      Optional<Duration> ttl,
      Duration defaultTtl,
      Duration requestTimeout,
      Duration closeTimeout,
      Duration handOver,
      Supplier<@Nullable String> traceId,
      Set<Trait> required,
      List<LockListener> listeners) {
    this(
        ttl,
        defaultTtl,
        requestTimeout,
        closeTimeout,
        false,
        handOver,
        traceId,
        required,
        listeners);
  }
}
