package io.leasehold.gallery;

import io.leasehold.gallery.Recording.State;
import io.leasehold.gallery.wild.WildLock;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that wants the lock: a thread, told by the script what to do and where to stand still.
 * Only one client runs at a time, but for those that wait in a server.
 */
final class Client implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  private final String name;
  private final Recording recording;
  private final int lane;
  private final Pace pace = new Pace();
  private final ExecutorService thread;
  private volatile boolean muted;
  private volatile CompletableFuture<Void> awake = CompletableFuture.completedFuture(null);

  Client(String name, Recording recording) {
    this.name = name;
    this.recording = recording;
    this.lane = recording.add(name);
    this.thread =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread worker = new Thread(work, "client-" + name);
              worker.setDaemon(true);
              return worker;
            });
  }

  String name() {
    return name;
  }

  Pace pace() {
    return pace;
  }

  /** Records what it did. */
  void says(String text) {
    if (!muted) {
      recording.step(lane, text);
    }
  }

  /** Records what it did, once it is awake: its script decides in which order things are told. */
  void reports(String text) {
    awake.join();
    says(text);
  }

  /** It waits in a server for another client. */
  void waits(String text) {
    awake = new CompletableFuture<>();
    stops(text);
  }

  /** Does the following without a record: it is more of the same. */
  void mute() {
    muted = true;
  }

  /** Is recorded again. */
  void unmute() {
    muted = false;
  }

  /** It has the lock, as far as it knows. */
  void enters(String text) {
    recording.step(lane, text, State.INSIDE);
  }

  /** It has the lock no more, and knows. */
  void leaves(String text) {
    recording.step(lane, text, State.OUTSIDE);
  }

  /** It is stopped, and the script will wake it. */
  void stops(String text) {
    recording.step(lane, text, recording.state(lane).stopped());
  }

  /** It goes on after {@link #stops}. */
  void wakes(String text) {
    recording.step(lane, text, recording.state(lane).resumed());
    awake.complete(null);
  }

  /** It is gone, and lets nothing go. */
  void dies(String text) {
    recording.step(lane, text, State.DEAD);
  }

  /** Does something to its end. */
  <T> T does(Callable<T> work) throws Exception {
    return ended(begins(work));
  }

  /** Begins something that may wait in a server. */
  <T> CompletableFuture<T> begins(Callable<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    thread.execute(
        () -> {
          try {
            outcome.complete(work.call());
          } catch (Throwable e) { // also assertions: the script sees them
            outcome.completeExceptionally(e);
          }
        });
    return outcome;
  }

  /** Waits for the end of what was begun. */
  static <T> T ended(CompletableFuture<T> outcome) throws Exception {
    try {
      return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception exception) {
        throw exception;
      }
      throw new AssertionError(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a client does not end what it began", e);
    }
  }

  /** Does something until just before it sends a request that begins so. */
  <T> Stopped<T> doesUntil(String request, Callable<T> work) throws Exception {
    CompletableFuture<Void> stop = pace.stopBefore(request);
    CompletableFuture<T> outcome = begins(work);
    ended(CompletableFuture.anyOf(stop, outcome));
    if (!stop.isDone()) {
      throw new IllegalStateException(name + " never sent " + request);
    }
    stops("is stopped before " + request.strip());
    return new Stopped<>(outcome);
  }

  /** Tries the lock, and has it if that says so. */
  boolean locks(WildLock lock) throws Exception {
    return judged(does(lock::tryLock));
  }

  /** Says whether a try succeeded. */
  boolean judged(boolean locked) {
    if (locked) {
      enters("has the lock");
    } else {
      says("is refused");
    }
    return locked;
  }

  /** Has done its work and lets the lock go. */
  void unlocks(WildLock lock) throws Exception {
    leaves("is done, and unlocks");
    does(unlocking(lock));
  }

  /** The same until just before a request. */
  Stopped<Boolean> unlocksUntil(String request, WildLock lock) throws Exception {
    leaves("is done, and unlocks");
    return doesUntil(request, unlocking(lock));
  }

  static Callable<Boolean> unlocking(WildLock lock) {
    return () -> {
      lock.unlock();
      return true;
    };
  }

  @Override
  public void close() {
    pace.die();
    awake.complete(null);
    thread.shutdownNow();
  }

  /** What was begun and stands still. */
  final class Stopped<T> {
    private final CompletableFuture<T> outcome;

    private Stopped(CompletableFuture<T> outcome) {
      this.outcome = outcome;
    }

    /** Lets it run to its end. */
    T goesOn() throws Exception {
      wakes("goes on");
      pace.goOn();
      return ended(outcome);
    }

    /** Lets it run, and does not wait for its end: it may wait in a server. */
    CompletableFuture<T> continues() {
      wakes("goes on");
      pace.goOn();
      return outcome;
    }

    /** Lets it run until just before another request. */
    Stopped<T> goesOnUntil(String request) throws Exception {
      wakes("goes on");
      CompletableFuture<Void> stop = pace.goOnUntil(request);
      ended(CompletableFuture.anyOf(stop, outcome));
      if (!stop.isDone()) {
        throw new IllegalStateException(name + " never sent " + request);
      }
      stops("is stopped before " + request.strip());
      return this;
    }

    /** The process is killed there: the request is never sent. */
    void dies() throws Exception {
      Client.this.dies("is killed");
      pace.die();
      try {
        ended(outcome);
      } catch (IllegalStateException e) {
        throw e;
      } catch (Exception connectionCut) {
        return;
      }
      throw new IllegalStateException(name + " outlived its death");
    }
  }
}
