package io.leasehold.cli;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;

/**
 * A signal that this process got. Java's only way to take one is {@code sun.misc.Signal}, which
 * javac warns of, without a way to suppress the warning; so it is reached by name, and its handler
 * is made as javac makes a lambda, which costs the start of the tool nothing.
 *
 * @param name without SIG
 * @param number as the kernel counts
 */
record JvmSignal(String name, int number) {

  /**
   * Calls the handler, each time on a thread of its own, for every signal of these names from now
   * on.
   */
  static void take(List<String> names, Consumer<JvmSignal> handler) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> signalHandler = Class.forName("sun.misc.SignalHandler");
      Lookup lookup = MethodHandles.lookup();
      MethodType handles = MethodType.methodType(void.class, signal);
      MethodHandle received =
          lookup.findStatic(
              JvmSignal.class,
              "received",
              MethodType.methodType(void.class, Consumer.class, Object.class));
      Object lambda =
          LambdaMetafactory.metafactory(
                  lookup,
                  "handle",
                  MethodType.methodType(signalHandler, Consumer.class),
                  handles,
                  received,
                  handles)
              .getTarget()
              .invoke(handler);
      Method take = signal.getMethod("handle", signal, signalHandler);
      Constructor<?> named = signal.getConstructor(String.class);
      for (String name : names) {
        take.invoke(null, named.newInstance(name), lambda);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("this Java runtime does not allow signal handlers", e);
    }
  }

  @SuppressWarnings("unused") // by the handler above
  private static void received(Consumer<JvmSignal> handler, Object signal) {
    try {
      Class<?> type = signal.getClass();
      String name = (String) type.getMethod("getName").invoke(signal);
      int number = (int) type.getMethod("getNumber").invoke(signal);
      handler.accept(new JvmSignal(name, number));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java runtime does not name its signals", e);
    }
  }
}
