package io.leasehold.idempotency;

/**
 * Finds out whether work was done whose caller never ended.
 *
 * @param <T> what the work yields
 */
@FunctionalInterface
public interface Reconciler<T> {
  /**
   * Looks at what the work leaves behind. Runs on the caller's thread, under a claim of its own, so
   * that at any time one process at most does it. If it throws, the outcome stays unknown.
   *
   * @param claim the caller's claim; not that of the work
   */
  Finding<T> reconcile(Claim claim) throws Exception;

  /**
   * What was found.
   *
   * @param <T> what the work yields
   */
  sealed interface Finding<T> {
    /** The work was done, and yielded this: it is stored and replayed. */
    static <T> Finding<T> done(T value) {
      return new Done<>(value);
    }

    /** The work was not done, and never will be by that caller: it is done now. */
    static <T> Finding<T> notDone() {
      return new NotDone<>();
    }

    /** It cannot be told: {@link UnknownOutcomeException}. */
    static <T> Finding<T> unclear() {
      return new Unclear<>();
    }
  }

  /**
   * See {@link Finding#done}.
   *
   * @param value what it yielded
   * @param <T> its type
   */
  record Done<T>(T value) implements Finding<T> {}

  /**
   * See {@link Finding#notDone}.
   *
   * @param <T> what the work yields
   */
  record NotDone<T>() implements Finding<T> {}

  /**
   * See {@link Finding#unclear}.
   *
   * @param <T> what the work yields
   */
  record Unclear<T>() implements Finding<T> {}
}
