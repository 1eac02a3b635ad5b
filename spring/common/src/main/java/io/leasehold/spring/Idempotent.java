package io.leasehold.spring;

import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.OnUnknown;
import io.leasehold.idempotency.WhileRunning;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs once for each key: the first call runs it and stores its result, later calls
 * return that result. If the key cannot be claimed, the method does not run, whatever the reason.
 *
 * <pre>{@code
 * @Idempotent(value = "#{#order.id}", operation = "charge")
 * public Receipt charge(Order order, Claim claim) {
 *   return bank.pay(order, claim.token());
 * }
 * }</pre>
 *
 * <p>A call is one of {@link io.leasehold.idempotency.IdempotentOperation#execute}, with its
 * exceptions: {@link io.leasehold.idempotency.AlreadyRunningException}, {@link
 * io.leasehold.idempotency.UnknownOutcomeException} and others, and {@link
 * io.leasehold.StoreException} if the store does not answer. What the method throws is thrown.
 *
 * <p>If the results are kept in the database of a transaction, the claim, the result and the writes
 * of the method are committed together, so that the method has its effect exactly once: as {@link
 * io.leasehold.idempotency.TransactionalOperation} does it. This is so if the caller has a
 * transaction, or the method itself begins one ({@code @Transactional}). Any exception then rolls
 * the transaction back; another call with the key waits for its end; {@link #whileRunning}, {@link
 * #onUnknown} and {@link #afterException} do not count. If the results are kept elsewhere, a call
 * inside a transaction is refused with {@link IllegalStateException}: a rollback would undo the
 * work, but not the result.
 *
 * <p>A parameter of type {@link io.leasehold.idempotency.Claim} receives the claim; what the caller
 * passes for it is ignored. Results are written and read by {@link IdempotentCodecs}, as JSON
 * unless the application has its own; null is a result. A method that returns a stage, a {@code
 * Mono}, a {@code Flux}, a {@code Future} or a {@code Stream} is refused at start-up.
 *
 * <p>As every annotation of Spring that works by a proxy, this one has no effect on a call inside
 * the same object. With {@link Locked} on the same method, the lock is outside.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {
  /**
   * The key: a text with {@code ${…}} and {@code #{…}} as that of {@link Locked#value()}, that
   * yields one text. Equal keys of two operations are different.
   */
  String value();

  /**
   * The name of the operation, at most 64 characters, without SpEL. The default is {@code
   * Class.method}, with the simple name of the class: give a name if the method may be renamed,
   * since results are found by it.
   */
  String operation() default "";

  /**
   * The caller that the key belongs to, as a user or a tenant: a text as {@link #value}. The
   * default is that all callers are one.
   */
  String principal() default "";

  /**
   * What must be the same in all calls with a key: a text as {@link #value}. A call with another
   * one throws {@link io.leasehold.idempotency.FingerprintMismatchException}. The default is that
   * the key says everything.
   */
  String fingerprint() default "";

  /**
   * How long results are kept, as {@code 12h} or {@code P7D}, and {@code ${…}} is replaced. The
   * default is {@code leasehold.idempotency.keep}, which is one day.
   */
  String keep() default "";

  /** What a call does while another one with the key runs; see {@link #maxWait}. */
  WhileRunning.Way whileRunning() default WhileRunning.Way.FAIL;

  /**
   * How long a call with {@link #whileRunning} WAIT or JOIN waits. The default is {@code 10s}, or 0
   * with FAIL.
   */
  String maxWait() default "";

  /** What a call does if an earlier one began and never ended. */
  OnUnknown onUnknown() default OnUnknown.FAIL;

  /**
   * What becomes of the key if the method throws an exception. After an {@code Error} or an {@code
   * InterruptedException} it is {@link AfterException#UNKNOWN} in any case. Do not release the key
   * of work that may have been done in part.
   */
  AfterException afterException() default AfterException.RELEASE;
}
