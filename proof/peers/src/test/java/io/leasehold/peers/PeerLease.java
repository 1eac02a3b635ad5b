package io.leasehold.peers;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A lock of another library that was taken. */
final class PeerLease implements Lease {
  /** By what the libraries say that a lock is not held any more. */
  private static final Set<Class<?>> SAID_SO =
      Set.of(
          ConcurrentModificationException.class,
          IllegalMonitorStateException.class,
          IllegalStateException.class,
          IllegalArgumentException.class);

  private final PeerClient client;
  private final String name;
  private final Mutex mutex;
  private final @Nullable Actor actor;
  private volatile boolean released;

  /** Taken by the actor, or, where there is none, by the thread that uses it. */
  PeerLease(PeerClient client, String name, Mutex mutex, @Nullable Actor actor) {
    this.client = client;
    this.name = name;
    this.mutex = mutex;
    this.actor = actor;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String leaseId() {
    throw new UnsupportedOperationException("leases have no ids");
  }

  @Override
  public long fencingToken() {
    return mutex.token();
  }

  @Override
  public boolean isHeld() {
    requireOpen();
    return !released && ask(mutex::isHeld);
  }

  @Override
  public Duration remaining() {
    requireOpen();
    return ask(mutex::remaining);
  }

  /** No library promises what a lease is after the end of its client. */
  private void requireOpen() {
    if (client.isClosed()) {
      throw new UnsupportedOperationException("nothing is said of locks after close");
    }
  }

  @Override
  public void ensureHeld(Duration atLeast) {
    throw new UnsupportedOperationException("nothing makes sure that a lease has so long to live");
  }

  @Override
  public Registration onLost(Runnable callback) {
    mutex.onLost(callback);
    return PeerLease::notAsked;
  }

  @Override
  public Registration onLost(Consumer<LockEvent.Lost.Reason> callback) {
    throw new UnsupportedOperationException("it gives no reason");
  }

  @Override
  public Registration onJeopardy(Consumer<Duration> callback) {
    throw new UnsupportedOperationException("it tells of no jeopardy");
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public void changeHold(LockOptions options) {
    notAsked();
  }

  private static void notAsked() {
    throw new UnsupportedOperationException("not asked of it");
  }

  /**
   * The first call throws what the library throws. Later ones are made too, and only that the
   * library refuses them is no failure.
   */
  @Override
  public void release() {
    boolean again = released;
    released = true;
    try {
      ask(
          () -> {
            mutex.unlock();
            return true;
          });
    } catch (LeaseLostException refused) {
      if (!again) {
        throw refused;
      }
    } finally {
      if (actor != null) {
        client.rest(actor);
      }
    }
  }

  private <T> T ask(Callable<T> question) {
    try {
      return actor == null ? question.call() : actor.call(question);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("not interruptible", e);
    } catch (Exception e) {
      throw lostOr(name, e);
    }
  }

  /** What a library throws, in our words. */
  static RuntimeException lostOr(String name, Exception e) {
    if (SAID_SO.contains(e.getClass())) {
      LeaseLostException lost = new LeaseLostException("lock '" + name + "': " + e);
      lost.initCause(e);
      return lost;
    }
    return PeerLock.translated(name, e);
  }
}
