package io.leasehold.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A {@link Locked} or {@link Idempotent} method cannot work as it is written. At start-up. */
public final class InvalidAnnotationException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  InvalidAnnotationException(
      Class<? extends Annotation> annotation,
      Class<?> type,
      Method method,
      String why,
      @Nullable Throwable cause) {
    super(
        "@"
            + annotation.getSimpleName()
            + " on "
            + type.getName()
            + "."
            + method.getName()
            + ": "
            + why,
        cause);
  }
}
