package io.leasehold.spring;

import io.leasehold.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs under a distributed lock: it starts once the lock is held, and the lock is
 * released after it has ended, normally or not. If the lock cannot be acquired, the method does not
 * run, whatever the reason.
 *
 * <pre>{@code
 * @Locked("account:#{#id}")
 * @Transactional
 * public void close(long id, Lease lease) {
 *   accounts.close(id, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>The lock is outside of a transaction that begins at the same method; the order is checked at
 * start-up. If the caller already has a transaction, the lock is released when that transaction has
 * completed, and a lease that was lost before makes the commit fail.
 *
 * <p>A parameter of type {@link io.leasehold.Lease}, or {@link io.leasehold.MultiLease} for several
 * names, receives the lease; what the caller passes for it is ignored. Exclusive and shared locks
 * are re-entrant per thread, as {@link io.leasehold.DistributedLock#withLock} is. If the lease was
 * lost while the method ran, the call throws {@link io.leasehold.LeaseLostException}, unless the
 * method threw. If the store fails before the method could start, the call throws {@link
 * io.leasehold.StoreException}, and neither skips nor falls back.
 *
 * <p>A method that returns a {@code CompletionStage}, {@code CompletableFuture}, {@code Mono} or
 * {@code Flux} holds the lock until that has completed. It does not block the caller, and starts on
 * a thread of the client; so it is refused while the calling thread is in a transaction, and it
 * takes one name.
 *
 * <p>As every annotation of Spring that works by a proxy, this one has no effect on a call inside
 * the same object. A method that no proxy can intercept, as a private or final one, and a template
 * or a value that cannot be understood, are errors at start-up that name the method.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {
  /**
   * The lock name, or several that are acquired as one, all or none.
   *
   * <p>Each is a text with {@code ${…}} for properties, replaced at start-up, and {@code #{…}} for
   * SpEL, evaluated once at each call: over the parameters by name ({@code #id}) or place ({@code
   * #p0}), and beans ({@code @tenants}), of which it sets nothing. A part that yields null fails
   * the call. If the whole text is one {@code #{…}} that yields a collection or an array, each
   * element is a name.
   */
  String[] value();

  /**
   * How long to wait for the lock, as {@code 500ms}, {@code 10s} or {@code PT1M}; 0 tries once, and
   * {@code ${…}} is replaced. The default is {@code 10s}, or 0 if a busy lock skips the call.
   */
  String maxWait() default "";

  /** How long the store keeps the lease without renewal. The default is the client's. */
  String ttl() default "";

  /**
   * The longest life of the lease: at its end the lease is lost, even if the method still runs. The
   * default is no limit.
   */
  String maxHold() default "";

  /**
   * How long the name stays locked from the grant, even if the method ends sooner; for short
   * scheduled methods on hosts whose clocks differ. The default is not at all.
   */
  String minHold() default "";

  /**
   * How the method shares the name: {@link LockMode#EXCLUSIVE}, or {@link LockMode#SHARED} with
   * other shared holders. {@link LockMode#PERMITS} follows from {@link #permits}.
   */
  LockMode mode() default LockMode.EXCLUSIVE;

  /**
   * Makes the name a semaphore: {@code "5"} takes one of 5 permits, {@code "2/5"} two of 5. {@code
   * ${…}} is replaced. Not re-entrant: a nested call takes further permits.
   */
  String permits() default "";

  /**
   * Whether waiters are served in the order of arrival across processes. Needs a store with {@link
   * io.leasehold.Trait#FIFO}, which is checked at start-up.
   */
  boolean fair() default false;

  /** What to do when the lock did not come free in time. */
  Busy busy() default Busy.AUTO;

  /**
   * The method to call when the lock did not come free in time: the name of a method of the same
   * class with the same parameters, but without the lease, and a fitting return type. It may be
   * private, and runs without the lock.
   */
  String fallback() default "";
}
