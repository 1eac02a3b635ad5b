package io.leasehold.spi.support;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code CompletableFuture.join} with a time limit, for stores that open and must not hang. */
public final class TimedJoin {
  private static final Clock CLOCK = new SystemClock();
  private static final Duration CLOSING = Duration.ofSeconds(2);

  private TimedJoin() {}

  /**
   * Waits for a future on the calling thread. An interrupt does not end the wait; the interrupt
   * flag is kept.
   *
   * @throws TimeoutException if the future is not done in time; it is not cancelled
   */
  public static <T> T of(CompletableFuture<T> future, Duration within)
      throws ExecutionException, TimeoutException {
    long end = CLOCK.nanos() + within.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get(Math.max(0, end - CLOCK.nanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * As {@link #of}, of a request that a store makes when it opens.
   *
   * @throws StoreException as the request failed; {@code UNAVAILABLE} if it is not answered in time
   */
  public static <T> T ofOpening(String server, CompletionStage<T> request, Duration within) {
    try {
      return of(request.toCompletableFuture(), within);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException failed ? failed : new CompletionException(e);
    } catch (TimeoutException e) {
      String why = server + " did not answer in " + within.toSeconds() + " s";
      throw new StoreException(Failure.UNAVAILABLE, why, e);
    }
  }

  /** Waits for the last requests of a store that closes, for at most two seconds. */
  public static void ofClosing(Collection<? extends CompletableFuture<?>> requests) {
    try {
      of(CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new)), CLOSING);
    } catch (ExecutionException | TimeoutException e) {
      Log.debug("the server did not hear of the end; what is left there ends by itself", e);
    }
  }
}
