package io.leasehold.spi.support;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Tells virtual threads, which the baseline does not have, from others. */
public final class VirtualThreads {
  /** {@code Thread.isVirtual}; null before JDK 21. */
  private static final @Nullable MethodHandle IS_VIRTUAL = find();

  private VirtualThreads() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Whether this thread is virtual; never before JDK 21. */
  public static boolean isVirtual(Thread thread) {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
