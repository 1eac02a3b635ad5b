package io.leasehold.idempotency;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * One operation of an application, as {@code charge}: its keys, its codec, and what it does when
 * something goes wrong. Immutable and thread-safe; each method that sets something returns another
 * one.
 *
 * @param <T> what its work yields
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

  /** Who was interrupted, or ran out of memory, does not know how far the work got. */
  private static AfterException byDefault(Throwable thrown) {
    return thrown instanceof Error || thrown instanceof InterruptedException
        ? AfterException.UNKNOWN
        : AfterException.RELEASE;
  }

  /** How long its results are kept, and its unknown outcomes. */
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

  /** What a call does that finds another one running: it fails if nothing is said. */
  public IdempotentOperation<T> whileRunning(WhileRunning what) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, what, onUnknown, reconciler, afterException);
  }

  /** What a call does that finds an unknown outcome: it fails if nothing is said. */
  public IdempotentOperation<T> onUnknown(OnUnknown what) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, whileRunning, what, Optional.empty(), afterException);
  }

  /** A call that finds an unknown outcome takes the claim over and finds out what happened. */
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
   * What becomes of the key when the work throws. If nothing is said {@link
   * AfterException#RELEASE}, for an {@code Error} and an {@code InterruptedException} {@link
   * AfterException#UNKNOWN}. What may have been done in part must not be released. If the function
   * itself throws: {@code UNKNOWN}.
   */
  public IdempotentOperation<T> afterException(Function<Throwable, AfterException> policy) {
    return new IdempotentOperation<>(
        idempotency, name, codec, keep, whileRunning, onUnknown, reconciler, policy);
  }

  /**
   * Does the work of a key once, on the calling thread. The first call does it and stores what it
   * yielded; later ones replay that.
   *
   * <p>An interrupt ends a wait for another call, with {@link AlreadyRunningException} and the flag
   * set; it does not end a request to the store.
   *
   * @param fingerprint of what is to be done
   * @return what the work yielded, now or before
   * @throws E what the work throws; see {@link #afterException}
   * @throws AlreadyRunningException if another call with the key runs; see {@link #whileRunning}
   * @throws FingerprintMismatchException if the key was used for other work
   * @throws UnknownOutcomeException if an earlier call never ended; see {@link #onUnknown}
   * @throws ReplayedException if an earlier call ended with an exception that is replayed
   * @throws ResultUnavailableException if the work was done, and its result cannot be had
   * @throws StaleClaimException if the work was done, and another took the claim over meanwhile
   * @throws io.leasehold.StoreException if the store does not answer; the work was not done
   */
  public <E extends Exception> T execute(Key key, Fingerprint fingerprint, Action<T, E> action)
      throws E {
    return new Execution<>(this, key, fingerprint).run(action);
  }

  /**
   * Forgets a key, whatever is known of it: the next call does the work. For operators, and after
   * an unknown outcome was looked into. A call that still runs gets {@link StaleClaimException}.
   *
   * @return whether anything was known
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
