package io.leasehold.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The signals sent to this process. While it waits for the lock, one that would have ended it
 * interrupts the main thread; while the command runs, each goes on to the command; in between they
 * are kept for it. Waiting and running may alternate.
 *
 * <p>A signal that was ignored when this process began (as by {@code nohup}) stays ignored, by the
 * JVM for those that end it.
 */
final class Signals {
  /** Those that do not end a process that does nothing about them. */
  private static final Set<String> HARMLESS = Set.of("WINCH", "CONT");

  /** Java lets no program take QUIT. */
  private static final List<String> TAKEN =
      List.of("INT", "TERM", "HUP", "USR1", "USR2", "WINCH", "CONT");

  /** Those that tell a service to end; USR1 and USR2 are the command's own affair. */
  private static final Set<String> ENDING = Set.of("INT", "TERM", "HUP");

  private final ReentrantLock lock = new ReentrantLock();
  private final Thread waiting;
  private final List<String> kept = new ArrayList<>();

  /** The exit code once a signal has ended the wait. */
  private int ended;

  /** Whether one came, while the command ran, that ends a process which does nothing about it. */
  private boolean stopping;

  private boolean forwarding;
  private @Nullable Consumer<String> command;

  private Signals(Thread waiting) {
    this.waiting = waiting;
  }

  /** Takes the signals from now on; the calling thread is the one that waits. */
  static Signals take() {
    Signals signals = new Signals(Thread.currentThread());
    JvmSignal.take(TAKEN, signals::got);
    return signals;
  }

  /**
   * The exit code if a signal ended the wait; else 0, and signals are for the command from now on.
   */
  int endWait() {
    lock.lock();
    try {
      forwarding = ended == 0;
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** The exit code if a signal ended the wait; else 0. */
  int endedBy() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The command has ended, and this process waits again.
   *
   * @return whether it should: false if it was told to end while the command ran
   */
  boolean waitAgain() {
    lock.lock();
    try {
      command = null;
      forwarding = false;
      return !stopping;
    } finally {
      lock.unlock();
    }
  }

  /** Passes what was kept, and all that come, to the command. */
  void passTo(Consumer<String> receiver) {
    List<String> early;
    lock.lock();
    try {
      command = receiver;
      early = List.copyOf(kept);
      kept.clear();
    } finally {
      lock.unlock();
    }
    early.forEach(receiver);
  }

  private void got(JvmSignal signal) {
    Consumer<String> receiver;
    lock.lock();
    try {
      receiver = command;
      stopping |= forwarding && ENDING.contains(signal.name());
      if (receiver == null && forwarding) {
        kept.add(signal.name());
      } else if (receiver == null && ended == 0 && !HARMLESS.contains(signal.name())) {
        ended = ExitCode.signalled(signal.number());
        waiting.interrupt();
      }
    } finally {
      lock.unlock();
    }
    if (receiver != null) {
      receiver.accept(signal.name());
    }
  }
}
