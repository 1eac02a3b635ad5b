package io.leasehold.jdbc;

import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Opens stores in bounded time, whatever a driver or a pool takes. */
final class TimelyOpening {
  /** Unless the URL of the store allows for more. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private TimelyOpening() {}

  /**
   * Opens a store on one of its threads, which end if it does not open.
   *
   * @param close closes one that came too late
   * @param late what is thrown if it takes longer
   */
  static <S> S open(
      Threads threads,
      Duration longest,
      Supplier<S> store,
      Consumer<S> close,
      Function<Exception, RuntimeException> late) {
    CompletableFuture<S> opening = new CompletableFuture<>();
    threads.request(() -> complete(opening, store, close));
    try {
      return TimedJoin.of(opening, longest);
    } catch (ExecutionException e) {
      threads.close();
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException why ? why : new IllegalStateException(e);
    } catch (TimeoutException e) {
      throw givenUp(opening, threads, late.apply(e));
    }
  }

  private static <S> void complete(
      CompletableFuture<S> opening, Supplier<S> store, Consumer<S> close) {
    try {
      S opened = store.get();
      if (!opening.complete(opened)) {
        close.accept(opened);
      }
    } catch (RuntimeException | Error e) {
      opening.completeExceptionally(e);
    }
  }

  /** The store is closed as soon as it is there, if it comes at all. */
  private static RuntimeException givenUp(
      CompletableFuture<?> opening, Threads threads, RuntimeException why) {
    opening.completeExceptionally(why);
    threads.close();
    return why;
  }
}
