package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One request of one thread, that is in line for a connection, or sent by another thread. */
final class Call {
  final List<Command> commands;
  final long end;

  /** What is sent with it if it leads; itself included. */
  List<Call> batch = List.of(this);

  /** Whether that is sent already; it is still to be answered. */
  boolean isSent;

  /** All but the last; null unless that is missing. */
  private @Nullable List<Object> answers;

  private final Thread thread = Thread.currentThread();

  /** Null while it waits; then the connection to lead with, or the outcome. */
  private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

  Call(List<Command> commands, long end) {
    this.commands = commands;
    this.end = end;
  }

  /** Of its arguments, in bytes. */
  int size() {
    return Command.size(commands);
  }

  /**
   * Waits until it is answered, has a connection to send with, or its time is over. An interrupt
   * does not shorten it: no verb takes longer than it was told, and a release must not be given up.
   */
  void await(Clock clock) {
    boolean interrupted = false;
    while (state.get() == null) {
      long left = end - clock.nanos();
      if (left <= 0) {
        break;
      }
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      thread.interrupt();
    }
  }

  /** The connection that it was given; null if it was given none. */
  @Nullable Link connection() {
    return state.get() instanceof Link connection ? connection : null;
  }

  /** Gives it a connection to lead with; false if it has ended. */
  boolean lead(Link connection) {
    boolean leads = state.compareAndSet(null, connection);
    if (leads) {
      LockSupport.unpark(thread);
    }
    return leads;
  }

  /** Its time is over: it fails, unless it has been given a connection or an outcome. */
  void giveUp(StoreException failed) {
    state.compareAndSet(null, CompletableFuture.failedFuture(failed));
  }

  /** Ends it by what was read; false if the answer about all that was sent is still missing. */
  boolean answer(List<Object> read) {
    boolean all = read.size() == commands.size();
    if (all) {
      end(CompletableFuture.completedFuture(read));
    } else {
      answers = read;
    }
    return all;
  }

  /** That answer, if it misses it. */
  void answerLast(@Nullable Object last) {
    if (answers != null) {
      answers.add(last);
      end(CompletableFuture.completedFuture(answers));
    }
  }

  void fail(StoreException failed) {
    end(CompletableFuture.failedFuture(failed));
  }

  private void end(CompletableFuture<List<Object>> outcome) {
    Object before = state.get();
    if (!(before instanceof CompletableFuture)
        && state.compareAndSet(before, outcome)
        && !thread.equals(Thread.currentThread())) {
      LockSupport.unpark(thread);
    }
  }

  boolean isAnswered() {
    return state.get() instanceof CompletableFuture;
  }

  @SuppressWarnings("unchecked")
  CompletionStage<List<Object>> result() {
    if (state.get() instanceof CompletableFuture<?> outcome) {
      return (CompletionStage<List<Object>>) outcome;
    }
    throw new IllegalStateException("neither answered nor failed");
  }
}
