package io.leasehold.testkit.contract;

import io.leasehold.LockClientBuilder;
import io.leasehold.Trait;
import io.leasehold.event.LockListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How a test wants a client. An adapter for another library heeds what that library has a setting
 * for.
 *
 * @param ttl the ttl of its leases; empty: the library's own default
 * @param requestTimeout how long one request may take
 * @param closeTimeout how long close may take
 * @param required traits without which it must not be built
 * @param unfenced whether it takes a store without fencing tokens
 * @param listeners are told of its events
 */
public record ClientSettings(
    Optional<Duration> ttl,
    Duration requestTimeout,
    Duration closeTimeout,
    Set<Trait> required,
    boolean unfenced,
    List<LockListener> listeners) {

  private static final ClientSettings DEFAULTS =
      new ClientSettings(
          Optional.of(Duration.ofMinutes(10)),
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Set.of(),
          false,
          List.of());

  /** Copies the collections. */
  public ClientSettings {
    required = Set.copyOf(required);
    listeners = List.copyOf(listeners);
  }

  /**
   * A ttl of ten minutes, so that no test is saved by expiry; requests of 5 s at most, which a busy
   * machine answers; 5 s to close.
   */
  public static ClientSettings defaults() {
    return DEFAULTS;
  }

  /** With this ttl. */
  public ClientSettings withTtl(Duration newTtl) {
    return new ClientSettings(
        Optional.of(newTtl), requestTimeout, closeTimeout, required, unfenced, listeners);
  }

  /** With the ttl of a client for which none was chosen. */
  public ClientSettings withDefaultTtl() {
    return new ClientSettings(
        Optional.empty(), requestTimeout, closeTimeout, required, unfenced, listeners);
  }

  /** With this limit for one request. */
  public ClientSettings withRequestTimeout(Duration timeout) {
    return new ClientSettings(ttl, timeout, closeTimeout, required, unfenced, listeners);
  }

  /** With this limit for close. */
  public ClientSettings withCloseTimeout(Duration timeout) {
    return new ClientSettings(ttl, requestTimeout, timeout, required, unfenced, listeners);
  }

  /** Requires this trait. */
  public ClientSettings require(Trait trait) {
    Set<Trait> more = EnumSet.of(trait);
    more.addAll(required);
    return new ClientSettings(ttl, requestTimeout, closeTimeout, more, unfenced, listeners);
  }

  /** Takes a store without fencing tokens. */
  public ClientSettings acceptUnfenced() {
    return new ClientSettings(ttl, requestTimeout, closeTimeout, required, true, listeners);
  }

  /** Tells this listener too. */
  public ClientSettings listener(LockListener listener) {
    List<LockListener> more = new ArrayList<>(listeners);
    more.add(listener);
    return new ClientSettings(ttl, requestTimeout, closeTimeout, required, unfenced, more);
  }

  /** The same said to a builder. */
  public LockClientBuilder applyTo(LockClientBuilder builder) {
    ttl.ifPresent(builder::ttl);
    required.forEach(builder::require);
    if (unfenced) {
      builder.acceptUnfenced();
    }
    listeners.forEach(builder::listener);
    return builder.requestTimeout(requestTimeout).closeTimeout(closeTimeout);
  }
}
