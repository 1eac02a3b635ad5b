package io.leasehold;

import java.util.Objects;

/**
 * One result of {@link LockClient#diagnose}.
 *
 * @param level its severity
 * @param check the subject of the check, in a word or two: "clock", "persistence"
 * @param detail the result and, unless the level is {@code OK}, what to do
 */
public record Finding(Level level, String check, String detail) {
  /** The severity of a finding. */
  public enum Level {
    /** The check found nothing wrong. */
    OK,
    /** Locks work, but a promise may be broken under the circumstances that the detail names. */
    WARNING,
    /** Locks do not work or are not safe. */
    ERROR
  }

  /** Rejects null components. */
  public Finding {
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(detail, "detail");
  }
}
