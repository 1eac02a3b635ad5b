package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/** A store in memory to which something happens. */
final class TestStore {
  /** What happens instead of a verb, or before it. */
  @FunctionalInterface
  interface Fault {
    Object on(String verb, Callable<Object> request) throws Exception;
  }

  private TestStore() {}

  static IdempotencyStore with(Fault fault) {
    IdempotencyStore store = IdempotencyStores.inMemory();
    return (IdempotencyStore)
        Proxy.newProxyInstance(
            TestStore.class.getClassLoader(),
            new Class<?>[] {IdempotencyStore.class},
            (proxy, method, arguments) ->
                fault.on(
                    method.getName(),
                    () -> {
                      try {
                        return method.invoke(store, arguments);
                      } catch (InvocationTargetException e) {
                        throw (Exception) e.getCause();
                      }
                    }));
  }
}
