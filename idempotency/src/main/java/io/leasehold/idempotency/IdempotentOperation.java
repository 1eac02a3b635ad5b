package io.leasehold.idempotency;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * One operation of an application, as {@code charge}: its keys, its codec, and its behaviour when
 * something goes wrong. Immutable and thread-safe; each method that changes a setting returns a
 * changed copy.
 *
 * @param <T> the type of its results
 */
public final class IdempotentOperation<T> {
  private static final int MAX_NAME = 64;

  final Idempotency idempotency;
  final String name;
  final Codec<T> codec;
  private final Duration keep;
  private final WhileRunning whileRunning;
  private final OnUnknown onUnknown;
  private final Optional<Reconciler<T>> reconciler;
  private final Function<Throwable, AfterException> afterException;

  IdempotentOperation(Idempotency idempotency, String name, Codec<T> codec) {
    this(
        idempotency,
        name,
        codec,
        idempotency.settings().keep,
        WhileRunning.fail(),
        OnUnknown.FAIL,
        Optional.empty(),
        IdempotentOperation::byDefault);
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "the name of an operation has 1 to " + MAX_NAME + " chars: '" + name + "'");
    }
  }

  private IdempotentOperation(
      Idempotency idempotency,
      String name,
      Codec<T> codec,
      Duration keep,
      WhileRunning whileRunning,
      OnUnknown onUnknown,
      Optional<Reconciler<T>> reconciler,
      Function<Throwable, AfterException> afterException) {
    this.idempotency = idempotency;
    this.name = name;
    this.codec = codec;
    this.keep = keep;
    this.whileRunning = whileRunning;
    this.onUnknown = onUnknown;
    this.reconciler = reconciler;
    this.afterException = afterException;
  }

  /** After an interrupt or an {@code Error}, the work may have been done in part. */
  private static AfterException byDefault(Throwable thrown) {
    return thrown instanceof Error || thrown instanceof InterruptedException
        ? AfterException.UNKNOWN
        : AfterException.RELEASE;
  }

  /** Sets how long the store keeps results and unknown outcomes of this operation. */
  public IdempotentOperation<T> keep(Duration time) {
    return new IdempotentOperation<>(
        idempotency,
        name,
        codec,
        Idempotency.Builder.requireKeep(time),
        whileRunning,
        onUnknown,
        reconciler,
        afterException);
  }

  /** Sets what a call does while another call with the key runs. Default: it fails. */
  public IdempotentOperation<T> whileRunning(WhileRunning what) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, what, onUnknown, reconciler, afterException);
  }

  /** Sets what a call does after an unknown outcome. Default: it fails. */
  public IdempotentOperation<T> onUnknown(OnUnknown what) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, whileRunning, what, Optional.empty(), afterException);
  }

  /** Makes a call after an unknown outcome take the claim over and find out what happened. */
  public IdempotentOperation<T> reconcile(Reconciler<T> how) {
    return new IdempotentOperation<>(
        idempotency,
        name,
        codec,
        keep,
        whileRunning,
        OnUnknown.RETRY,
        Optional.of(how),
        afterException);
  }

  /**
   * Sets what happens to the key when the work throws. Default {@link AfterException#RELEASE}, but
   * {@link AfterException#UNKNOWN} for an {@code Error} and an {@code InterruptedException}. Do not
   * release the key of work that may have been done in part. If the function itself throws, the
   * outcome is {@code UNKNOWN}.
   */
  public IdempotentOperation<T> afterException(Function<Throwable, AfterException> policy) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, whileRunning, onUnknown, reconciler, policy);
  }

  /**
   * Runs the work of a key once, on the calling thread. The first call runs it and stores its
   * result; later calls replay the result.
   *
   * <p>An interrupt ends a wait for another call, with {@link AlreadyRunningException} and the flag
   * set; it does not end a request to the store.
   *
   * @param fingerprint the fingerprint of the request
   * @return the result of the work, of this call or an earlier one
   * @throws E if the work throws it; see {@link #afterException}
   * @throws AlreadyRunningException if another call with the key runs; see {@link #whileRunning}
   * @throws FingerprintMismatchException if the key was used for another request
   * @throws UnknownOutcomeException if an earlier call never ended; see {@link #onUnknown}
   * @throws ReplayedException if an earlier call ended with an exception that is replayed
   * @throws ResultUnavailableException if the work was done, but its result is not available
   * @throws StaleClaimException if the work was done, but another call took the claim over
   *     meanwhile
   * @throws io.leasehold.StoreException if the store does not answer; the work did not run
   */
  public <E extends Exception> T execute(Key key, Fingerprint fingerprint, Action<T, E> action)
      throws E {
    return new Execution<>(this, key, fingerprint).run(action);
  }

  /**
   * Forgets a key in any state, so that the next call runs the work. For operators, after they have
   * examined an unknown outcome. A call that still runs throws {@link StaleClaimException}.
   *
   * @return whether the key was known
   */
  public boolean forget(Key key) {
    return idempotency.store().forget(scoped(key), idempotency.settings().requestTimeout);
  }

  /** The key as the store keeps it: for those who look into the store. Asks nothing. */
  public String scoped(Key key) {
    return key.scoped(name, idempotency.settings().hashKeys);
  }

  Duration keptFor() {
    return keep;
  }

  WhileRunning whenRunning() {
    return whileRunning;
  }

  OnUnknown whenUnknown() {
    return onUnknown;
  }

  Optional<Reconciler<T>> reconciler() {
    return reconciler;
  }

  AfterException after(Throwable thrown) {
    return afterException.apply(thrown);
  }
}
