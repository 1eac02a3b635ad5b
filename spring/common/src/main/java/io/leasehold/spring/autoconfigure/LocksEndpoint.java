package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.support.Durations;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The locks of the store: all, or one with its waiters. With {@code
 * management.endpoint.locks.access=unrestricted} a delete with the fencing token breaks a lease;
 * the default access is read-only.
 *
 * <p>Each operation sends one request to the store, and fails if it cannot be asked. Tokens are
 * text: they are larger than what JSON keeps exact.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {
  private final LockClient locks;

  LocksEndpoint(LockClient locks) {
    this.locks = locks;
  }

  /** All locks that have a holder or a waiter now, by name. */
  @ReadOperation
  public Locks list() {
    return new Locks(locks.list().stream().map(LocksEndpoint::shown).toList());
  }

  /** The lock with this name; null, which is "not found", if it has no holder and no waiter. */
  @ReadOperation
  public @Nullable Lock one(@Selector String name) {
    return locks.lock(name).inspect().map(LocksEndpoint::shown).orElse(null);
  }

  /**
   * Breaks the lease with this fencing token, and no other.
   *
   * @return null, which is "not found", if there is no such lease
   * @throws IllegalArgumentException if the token is no number
   */
  @DeleteOperation
  public @Nullable Broken breakLease(@Selector String name, String token) {
    return locks.lock(name).breakLease(Long.parseLong(token)) ? new Broken(name, token) : null;
  }

  private static Lock shown(LockSnapshot lock) {
    return new Lock(
        lock.name(),
        lock.holders().stream()
            .map(
                each ->
                    new Holder(
                        each.holder(),
                        mode(each.mode()),
                        each.permits(),
                        Long.toString(each.fencingToken()),
                        Durations.show(each.heldFor()),
                        Durations.show(each.remaining())))
            .toList(),
        lock.waiters().stream()
            .map(
                each ->
                    new Waiter(each.holder(), mode(each.mode()), Durations.show(each.waitedFor())))
            .toList());
  }

  private static String mode(Enum<?> mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  /** All locks. */
  public record Locks(List<Lock> locks) {}

  /** One lock. */
  public record Lock(String name, List<Holder> holders, List<Waiter> waiters) {}

  /** A live lease; see {@link LockSnapshot.Holder}. */
  public record Holder(
      String holder, String mode, int permits, String token, String heldFor, String remaining) {}

  /** A waiter; see {@link LockSnapshot.Waiter}. */
  public record Waiter(String holder, String mode, String waitedFor) {}

  /** A lease that was broken. */
  public record Broken(String name, String token) {}
}
