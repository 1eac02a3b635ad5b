package io.leasehold;

import java.util.Objects;

/**
 * One thing that {@link LockClient#diagnose} found out about a store.
 *
 * @param level how bad it is
 * @param check what was looked at, in a word or two: "clock", "persistence"
 * @param detail what was found and, unless all is well, what to do
 */
public record Finding(Level level, String check, String detail) {
  /** How bad it is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Locks work, but a promise may be broken under circumstances that the detail names. */
    WARNING,
    /** Locks do not work, or must not be relied on. */
    ERROR
  }

  /** Checks that all is there. */
  public Finding {
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(detail, "detail");
  }
}
