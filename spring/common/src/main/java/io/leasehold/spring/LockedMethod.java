package io.leasehold.spring;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.MultiLock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the {@link Locked} of one method says, read and checked. Immutable.
 *
 * @param method the method of the class, for its parameters
 * @param templates of the names
 * @param several whether it takes a lease of several locks, whatever their number
 * @param maxWait how long to wait
 * @param skips whether a busy lock skips the call
 * @param fallback what a busy lock calls
 * @param result what the call returns
 * @param leaseAt the place of the parameter that receives the lease; -1 if there is none
 */
record LockedMethod(
    Method method,
    List<NameTemplate> templates,
    boolean several,
    Duration maxWait,
    LockOptions options,
    LockMode mode,
    int permits,
    int size,
    boolean skips,
    Optional<Method> fallback,
    Result result,
    int leaseAt) {

  /** When a call is over, and what it returns if it is skipped. */
  enum Result {
    /** Over when it returns. */
    VALUE,
    /** As {@link #VALUE}; skipped, it is empty. */
    OPTIONAL,
    /** Over when the stage has completed. */
    STAGE,
    /** Over when the publisher has. */
    MONO,
    /** As {@link #MONO}. */
    FLUX
  }

  /** Whether a call is over when it returns, on the thread that called. */
  boolean blocks() {
    return result == Result.VALUE || result == Result.OPTIONAL;
  }

  /** The name, if it is one and the same for all calls. */
  Optional<String> fixedName() {
    return several || templates.size() > 1 ? Optional.empty() : templates.get(0).fixed();
  }

  /** The lock with this name, as the annotation wants it. Sends no request. */
  DistributedLock lock(LockClient client, String name) {
    return switch (mode) {
      case EXCLUSIVE -> client.lock(name).with(options);
      case SHARED -> client.readWriteLock(name).with(options).readLock();
      case PERMITS -> client.semaphore(name, size).permits(permits).with(options);
    };
  }

  /** The locks with these names. Sends no request. */
  MultiLock locks(LockClient client, List<String> names) {
    return client.allOf(names.toArray(new String[0])).with(options);
  }
}
