package io.leasehold.benchmarks.runner;

/** A kind of lock of a library: a column of the table. A constant of an enum, in its order. */
public interface Contender {
  /** Of the constant. */
  String name();

  /** Of the constant. */
  int ordinal();

  /** Whose processes run it. */
  Library library();

  /** What the table calls it. */
  String title();

  /** A small task, after which its processes are connected. */
  default Task connect(String name) {
    return Task.pairs(this, name, 1);
  }

  /** Whether it is the library's lock that promises an order. */
  default boolean isFair() {
    return false;
  }
}
