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

  /** Whether it is the library's lock that promises an order. */
  default boolean isFair() {
    return false;
  }
}
