package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One request of one thread, that is in line for a connection, or sent by another thread. */
final class Call {
  /** Not changed. */
  final Command[] commands;

  final long end;

  /** What is sent with it if it leads; itself included. */
  List<Call> batch = List.of(this);

  /** Whether that is sent already; it is still to be answered. */
  boolean isSent;

  /** All but the last; null unless that is missing. */
  private @Nullable List<Object> answers;

  private final Thread thread = Thread.currentThread();

  /** Null while it waits; then the connection to lead with, or its answers, or why it failed. */
  private volatile @Nullable Object state;

  Call(List<Command> commands, long end) {
    this.commands = new Command[commands.size()];
    for (int i = 0; i < this.commands.length; i++) {
      this.commands[i] = commands.get(i);
    }
    this.end = end;
  }

  /** Of its arguments, in bytes. */
  int size() {
    return Command.size(Arrays.asList(commands));
  }

  /**
   * Waits until it is answered, has a connection to send with, or its time is over. An interrupt
   * does not shorten it: no verb takes longer than it was told, and a release must not be given up.
   */
  void await(Clock clock) {
    boolean interrupted = false;
    while (state == null) {
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
    return state instanceof Link connection ? connection : null;
  }

  /** Gives it a connection to lead with; false if it has ended. */
  boolean lead(Link connection) {
    boolean leads = setIfItWaits(connection);
    if (leads) {
      LockSupport.unpark(thread);
    }
    return leads;
  }

  /** Its time is over: it fails, unless it has been given a connection or an outcome. */
  void giveUp(StoreException failed) {
    boolean unused = setIfItWaits(failed);
  }

  /** Ends it by what was read; false if the answer about all that was sent is still missing. */
  boolean answer(List<Object> read) {
    boolean all = read.size() == commands.length;
    if (all) {
      end(read);
    } else {
      answers = read;
    }
    return all;
  }

  /** That answer, if it misses it. */
  void answerLast(@Nullable Object last) {
    if (answers != null) {
      answers.add(last);
      end(answers);
    }
  }

  void fail(StoreException failed) {
    end(failed);
  }

  private void end(Object outcome) {
    if (setUnlessAnswered(outcome) && !thread.equals(Thread.currentThread())) {
      LockSupport.unpark(thread);
    }
  }

  private synchronized boolean setIfItWaits(Object to) {
    boolean waits = state == null;
    if (waits) {
      state = to;
    }
    return waits;
  }

  private synchronized boolean setUnlessAnswered(Object outcome) {
    boolean isFirst = !isAnswered();
    if (isFirst) {
      state = outcome;
    }
    return isFirst;
  }

  boolean isAnswered() {
    return state != null && !(state instanceof Link);
  }

  /** What follows from its answers. */
  @SuppressWarnings("unchecked")
  <T extends @Nullable Object> CompletionStage<T> then(
      Function<List<Object>, CompletionStage<T>> follows) {
    Object outcome = state;
    if (outcome == null || outcome instanceof Link) {
      throw new IllegalStateException("neither answered nor failed");
    }
    if (outcome instanceof StoreException failed) {
      return CompletableFuture.failedFuture(failed);
    }
    try {
      return follows.apply((List<Object>) outcome);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
