package io.leasehold.benchmarks.runner;

import com.google.gson.Gson;
import java.time.Duration;
import java.util.Map;

/**
 * What a child is asked to do, as a line of JSON.
 *
 * @param kind what
 * @param fair whether with locks that promise an order
 * @param name the lock's; where each thread has its own, they begin with it
 * @param count how often
 * @param journal where grants are noted, if they are
 * @param firstThread the number of the child's first thread, counted over all processes
 * @param threads how many the child has
 * @param until when to end, of {@link Clock#nanos()}
 * @param holdNanos how long to work under the lock, to let the other wait, or to go on
 */
public record Task(
    Kind kind,
    boolean fair,
    String name,
    int count,
    Shared journal,
    int firstThread,
    int threads,
    long until,
    long holdNanos) {

  private static final Gson GSON = new Gson();

  /** What there is to do. */
  public enum Kind {
    /** Tell the time. */
    CLOCK,
    /** Connect, and take and release a lock a few times in one thread. */
    PAIRS,
    /** Threads take and release locks until the end. */
    CONTEND,
    /** One thread passes the lock to the one of the other process and takes it back. */
    HAND_OVER,
    /** Enter again, inside. */
    ENTER_AGAIN,
    /** Ask whether a lock is held. */
    IS_HELD,
    /** Take locks and keep them. */
    HOLD,
    /** Call for a row of keys, one after another. */
    CALLS,
    /** Sum up rows, and make those that are not there. */
    SUM,
    /** Threads raise rows for a while. */
    RAISE
  }

  /**
   * A journal.
   *
   * @param file its file
   * @param names how many names it has
   * @param capacity how many grants of each
   */
  public record Shared(String file, int names, int capacity) {}

  /**
   * What came of a task.
   *
   * @param values by name
   * @param error why it failed; empty if it did not
   */
  public record Answer(Map<String, Double> values, String error) {
    String line() {
      return GSON.toJson(this);
    }

    static Answer parse(String line) {
      return GSON.fromJson(line, Answer.class);
    }

    /** Not a number if there is none of this name. */
    public double value(String name) {
      return values.getOrDefault(name, Double.NaN);
    }
  }

  /** A lock of the kind that it is about. */
  Mutex mutex(Client client, String lock) {
    return fair ? client.fair(lock) : client.mutex(lock);
  }

  String line() {
    return GSON.toJson(this);
  }

  static Task parse(String line) {
    return GSON.fromJson(line, Task.class);
  }

  private static Task of(Kind kind, boolean fair, String name, int count) {
    return new Task(kind, fair, name, count, new Shared("", 0, 0), 0, 1, 0, 0);
  }

  static Task clock() {
    return of(Kind.CLOCK, false, "", 0);
  }

  /** To {@link Kind#PAIRS}. */
  public static Task pairs(Contender contender, String name, int count) {
    return of(Kind.PAIRS, contender.isFair(), name, count);
  }

  /** To {@link Kind#ENTER_AGAIN}. */
  public static Task enterAgain(Contender contender, String name) {
    return of(Kind.ENTER_AGAIN, contender.isFair(), name, 0);
  }

  /** To {@link Kind#IS_HELD}. */
  public static Task isHeld(Contender contender, String name) {
    return of(Kind.IS_HELD, contender.isFair(), name, 0);
  }

  /**
   * To {@link Kind#CALLS}: the first calls of a name do the work, and all later ones replay it.
   *
   * @param count how many keys
   */
  public static Task calls(String name, int count) {
    return calls(name, count, Duration.ofNanos(Long.MAX_VALUE));
  }

  /**
   * To {@link Kind#CALLS}.
   *
   * @param count how many keys, at most
   * @param length for how long
   */
  public static Task calls(String name, int count, Duration length) {
    return new Task(
        Kind.CALLS, false, name, count, new Shared("", 0, 0), 0, 1, 0, length.toNanos());
  }

  /**
   * To {@link Kind#SUM}.
   *
   * @param rows how many
   */
  public static Task sum(String name, int rows) {
    return of(Kind.SUM, false, name, rows);
  }

  /**
   * To {@link Kind#RAISE}.
   *
   * @param rows how many there are to choose from
   */
  public static Task raise(String name, int rows, int threads, Duration length) {
    return new Task(
        Kind.RAISE, false, name, rows, new Shared("", 0, 0), 0, threads, 0, length.toNanos());
  }

  /** To {@link Kind#HOLD}. */
  public static Task hold(Contender contender, String name, int count) {
    return of(Kind.HOLD, contender.isFair(), name, count);
  }
}
