package io.leasehold.testkit.engine;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.InMemoryServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * A connection each of whose verbs runs through a hook of the test, on the thread that calls it.
 */
final class HookedStore {
  private HookedStore() {}

  /** Decides what becomes of a call. */
  interface Hook {
    Object on(Call call) throws Throwable;
  }

  static StoreFactory over(InMemoryServer server, Hook hook) {
    return listener -> wrap(server.open(listener), hook);
  }

  static LockStore wrap(LockStore store, Hook hook) {
    return (LockStore)
        Proxy.newProxyInstance(
            LockStore.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            (proxy, method, arguments) ->
                method.getDeclaringClass() == LockStore.class
                    ? hook.on(
                        new Call(store, method, arguments == null ? List.of() : List.of(arguments)))
                    : method.invoke(store, arguments));
  }

  /** One call of a verb. */
  record Call(LockStore store, Method method, List<Object> arguments) {
    String verb() {
      return method.getName();
    }

    boolean is(String verb) {
      return verb().equals(verb);
    }

    /** The name of its ticket; of a batch, that of the first. */
    String name() {
      if (arguments.size() < 2) {
        return "";
      }
      return arguments.get(0) instanceof Ticket ticket
          ? ticket.name()
          : tickets().iterator().next().name();
    }

    Duration within() {
      // A release may name those that it served before that
      return (Duration) arguments.get(is("release") ? arguments.size() - 1 : 1);
    }

    Object proceed() throws Throwable {
      try {
        return method.invoke(store, arguments.toArray());
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /**
     * Blocks for as long as the verb was told, or until it is let go; is not answered either way.
     */
    Object hang(CountDownLatch letGo) {
      boolean interrupted = false;
      long end = System.nanoTime() + within().toNanos();
      while (true) {
        try {
          boolean unused = letGo.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return fail(Failure.UNKNOWN_OUTCOME);
    }

    /** Answers as a store whose request failed. */
    Object fail(Failure failure) {
      StoreException failed = new StoreException(failure, "the test made it fail", null);
      if (is("renew")) {
        tickets().forEach(t -> each().accept(t.id(), new Renewal.Unknown(failed)));
        return null;
      }
      CompletionStage<Object> stage = CompletableFuture.failedStage(failed);
      return stage;
    }

    @SuppressWarnings("unchecked")
    private Collection<Ticket> tickets() {
      return (Collection<Ticket>) arguments.get(0);
    }

    @SuppressWarnings("unchecked")
    private BiConsumer<LeaseId, Renewal> each() {
      return (BiConsumer<LeaseId, Renewal>) arguments.get(2);
    }
  }
}
