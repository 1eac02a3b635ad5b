package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.LockOptions.Reentrance;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What each thread is inside of: the holds of {@code withLock} and {@code asLock}, counted. An
 * entry is its own thread's alone.
 */
final class ScopedHolds {
  private final Map<Thread, Scope> innermost = new ConcurrentHashMap<>();

  /** One name that one thread is inside of. */
  private static final class Scope {
    final String name;
    final Lease lease;
    int count = 1;
    @Nullable Scope outer;

    Scope(String name, Lease lease, @Nullable Scope outer) {
      this.name = name;
      this.lease = lease;
      this.outer = outer;
    }
  }

  private @Nullable Scope find(String name) {
    Scope scope = innermost.get(Thread.currentThread());
    while (scope != null && !scope.name.equals(name)) {
      scope = scope.outer;
    }
    return scope;
  }

  boolean isInside(String name) {
    return find(name) != null;
  }

  /**
   * Enters again; null if the calling thread is not inside.
   *
   * @throws io.leasehold.LeaseLostException if the lease is lost
   * @throws IllegalMonitorStateException if the options forbid it
   */
  @Nullable Lease reenter(String name, LockOptions options) {
    Scope scope = find(name);
    if (scope == null) {
      return null;
    }
    if (options.reentrance() == Reentrance.NON_REENTRANT) {
      throw new IllegalMonitorStateException(
          "lock '"
              + name
              + "': thread "
              + Thread.currentThread().getName()
              + " holds it already, and it was taken as not re-entrant");
    }
    if (!scope.lease.isHeld()) {
      throw ((Hold) scope.lease).lost(" when it was entered again");
    }
    scope.count++;
    return scope.lease;
  }

  Lease enter(String name, Lease lease) {
    Thread me = Thread.currentThread();
    innermost.put(me, new Scope(name, lease, innermost.get(me)));
    return lease;
  }

  /**
   * Leaves once; the last time releases the lease.
   *
   * @throws IllegalMonitorStateException if the calling thread is not inside
   */
  void exit(String name) {
    Scope scope = find(name);
    if (scope == null) {
      throw new IllegalMonitorStateException(
          "lock '" + name + "': thread " + Thread.currentThread().getName() + " does not hold it");
    }
    if (--scope.count == 0) {
      remove(scope);
      scope.lease.release();
    }
  }

  private void remove(Scope scope) {
    Thread me = Thread.currentThread();
    Scope inner = innermost.get(me);
    if (inner != scope) {
      while (inner != null && inner.outer != scope) {
        inner = inner.outer;
      }
      if (inner != null) {
        inner.outer = scope.outer;
      }
    } else if (scope.outer == null) {
      innermost.remove(me);
    } else {
      innermost.put(me, scope.outer);
    }
  }

  int size() {
    return innermost.size();
  }
}
