package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockOptions.Reentrance;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What each thread is inside of: the holds of {@code withLock} and {@code asLock}, counted. An
 * entry is its own thread's alone. Inside a write lock a thread may enter the read lock too, on the
 * same lease, and keep that until it has left both.
 */
final class ScopedHolds {
  private final Map<Thread, Scope> innermost = new ConcurrentHashMap<>();

  /** One name that one thread is inside of, on one lease. */
  private static final class Scope {
    final String name;
    final Lease lease;
    int exclusive;
    int shared;
    @Nullable Scope outer;

    Scope(String name, Lease lease, @Nullable Scope outer) {
      this.name = name;
      this.lease = lease;
      this.outer = outer;
    }

    int count(LockMode mode) {
      return mode == LockMode.EXCLUSIVE ? exclusive : shared;
    }

    void add(LockMode mode, int change) {
      if (mode == LockMode.EXCLUSIVE) {
        exclusive += change;
      } else {
        shared += change;
      }
    }

    /** Why it may not be entered in this mode; null if it may. */
    @Nullable String refusal(LockMode mode, LockOptions options) {
      if (mode == LockMode.EXCLUSIVE && exclusive == 0) {
        return "is inside its read lock, and would wait for itself: leave that before the write lock";
      }
      if (options.reentrance() == Reentrance.NON_REENTRANT && count(mode) > 0) {
        return "holds it already, and it was taken as not re-entrant";
      }
      return null;
    }
  }

  private @Nullable Scope find(String name) {
    return find(name, innermost.get(Thread.currentThread()));
  }

  private static @Nullable Scope find(String name, @Nullable Scope from) {
    Scope scope = from;
    while (scope != null && !scope.name.equals(name)) {
      scope = scope.outer;
    }
    return scope;
  }

  /** Whether the calling thread is inside in a way that forbids to enter again. */
  boolean refuses(String name, LockMode mode, LockOptions options) {
    Scope scope = find(name);
    return scope != null && scope.refusal(mode, options) != null;
  }

  /**
   * Enters again; null if the calling thread is not inside.
   *
   * @throws io.leasehold.LeaseLostException if the lease is lost
   * @throws IllegalMonitorStateException if the options forbid it, or it would be an upgrade
   */
  @Nullable Lease reenter(String name, LockMode mode, LockOptions options) {
    Scope scope = find(name);
    if (scope == null) {
      return null;
    }
    String refusal = scope.refusal(mode, options);
    if (refusal != null) {
      throw notPossible(name, refusal);
    }
    if (!scope.lease.isHeld()) {
      throw ((Hold) scope.lease).lost(" when it was entered again");
    }
    scope.add(mode, 1);
    return scope.lease;
  }

  Lease enter(String name, LockMode mode, Lease lease) {
    Thread me = Thread.currentThread();
    Scope scope = new Scope(name, lease, innermost.get(me));
    scope.add(mode, 1);
    innermost.put(me, scope);
    return lease;
  }

  /**
   * Leaves once; the last time releases the lease.
   *
   * @throws IllegalMonitorStateException if the calling thread is not inside
   */
  void exit(String name, LockMode mode) {
    Thread me = Thread.currentThread();
    Scope inner = innermost.get(me);
    Scope scope = find(name, inner);
    if (scope == null || scope.count(mode) == 0) {
      throw notInside(name);
    }
    scope.add(mode, -1);
    if (scope.exclusive + scope.shared == 0) {
      remove(scope, me, inner);
      scope.lease.release();
    }
  }

  /** The lease under which the calling thread is inside in this mode; null if it is not. */
  @Nullable Lease inside(String name, LockMode mode) {
    Scope scope = find(name);
    return scope == null || scope.count(mode) == 0 ? null : scope.lease;
  }

  /** How often the calling thread has entered in this mode. */
  int count(String name, LockMode mode) {
    Scope scope = find(name);
    return scope == null ? 0 : scope.count(mode);
  }

  static IllegalMonitorStateException notInside(String name) {
    return notPossible(name, "does not hold it");
  }

  private static IllegalMonitorStateException notPossible(String name, String why) {
    return new IllegalMonitorStateException(
        "lock '" + name + "': thread " + Thread.currentThread().getName() + " " + why);
  }

  /** Takes it out of those of this thread, the innermost of which is {@code first}. */
  private void remove(Scope scope, Thread me, @Nullable Scope first) {
    Scope inner = first;
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
