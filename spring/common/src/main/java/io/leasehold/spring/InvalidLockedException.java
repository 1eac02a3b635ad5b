package io.leasehold.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A {@link Locked} method cannot work as it is written. Thrown at start-up. */
public final class InvalidLockedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  InvalidLockedException(Class<?> type, Method method, String why, @Nullable Throwable cause) {
    super("@Locked on " + named(type, method) + ": " + why, cause);
  }

  private static String named(Class<?> type, Method method) {
    return type.getName() + "." + method.getName();
  }
}
