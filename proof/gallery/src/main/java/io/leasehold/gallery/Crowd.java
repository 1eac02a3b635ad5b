package io.leasehold.gallery;

import java.util.ArrayList;
import java.util.List;

/** Threads that wait for the same lock; what they throw when the play ends is of no interest. */
final class Crowd implements AutoCloseable {
  /** What each does. */
  @FunctionalInterface
  interface Member {
    void waits(int number) throws Exception;
  }

  private final List<Thread> threads = new ArrayList<>();

  Crowd(int size, Member member) {
    for (int i = 0; i < size; i++) {
      int number = i;
      Thread thread = new Thread(() -> run(member, number), "crowd-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  private static void run(Member member, int number) {
    try {
      member.waits(number);
    } catch (InterruptedException playEnds) {
      Thread.currentThread().interrupt();
    } catch (Exception playEnds) {
      return;
    }
  }

  /** Whether none of them runs. */
  boolean isWaiting() {
    return threads.stream().allMatch(Crowd::waits);
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
