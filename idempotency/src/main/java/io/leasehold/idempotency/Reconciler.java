package io.leasehold.idempotency;

/**
 * Finds out whether the work of a call that never ended was done.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface Reconciler<T> {
  /**
   * Examines the effects of the work. Runs on the caller's thread, under the claim of the present
   * call, so that at most one process runs it at a time. If it throws, the outcome stays unknown.
   *
   * @param claim the claim of the present call, not that of the work
   */
  Finding<T> reconcile(Claim claim) throws Exception;

  /**
   * The result of the examination.
   *
   * @param <T> the type of the result of the work
   */
  sealed interface Finding<T> {
    /** The work was done with this result, which is stored and replayed. */
    static <T> Finding<T> done(T value) {
      return new Done<>(value);
    }

    /** The work was not done, and the earlier call will never do it: the present call runs it. */
    static <T> Finding<T> notDone() {
      return new NotDone<>();
    }

    /** The outcome stays unknown: the present call throws {@link UnknownOutcomeException}. */
    static <T> Finding<T> unclear() {
      return new Unclear<>();
    }
  }

  /**
   * See {@link Finding#done}.
   *
   * @param value the result of the work
   * @param <T> the type of the result
   */
  record Done<T>(T value) implements Finding<T> {}

  /**
   * See {@link Finding#notDone}.
   *
   * @param <T> the type of the result of the work
   */
  record NotDone<T>() implements Finding<T> {}

  /**
   * See {@link Finding#unclear}.
   *
   * @param <T> the type of the result of the work
   */
  record Unclear<T>() implements Finding<T> {}
}
