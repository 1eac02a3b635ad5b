package io.leasehold.gallery;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a client stands still: before the request that its script names. Thread-safe. */
final class Pace {
  private @Nullable String stopBefore;
  private CompletableFuture<Void> stopped = new CompletableFuture<>();
  private CompletableFuture<Boolean> goesOn = new CompletableFuture<>();

  /** The next request that begins so is not sent until {@link #goOn()}. */
  synchronized CompletableFuture<Void> stopBefore(String request) {
    stopBefore = request;
    stopped = new CompletableFuture<>();
    goesOn = new CompletableFuture<>();
    return stopped;
  }

  /** Goes on to another request. */
  synchronized CompletableFuture<Void> goOnUntil(String request) {
    CompletableFuture<Boolean> before = goesOn;
    CompletableFuture<Void> next = stopBefore(request);
    before.complete(true);
    return next;
  }

  synchronized void goOn() {
    goesOn.complete(true);
  }

  synchronized void die() {
    goesOn.complete(false);
  }

  /** To be called before a request is sent; false if its client dies here. */
  boolean before(String request) {
    CompletableFuture<Boolean> until;
    synchronized (this) {
      if (stopBefore == null || !request.startsWith(stopBefore)) {
        return true;
      }
      stopBefore = null;
      stopped.complete(null);
      until = goesOn;
    }
    return until.join();
  }
}
