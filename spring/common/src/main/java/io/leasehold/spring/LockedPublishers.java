package io.leasehold.spring;

import static java.util.Objects.requireNonNull;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import io.leasehold.spring.LockedMethod.Result;
import org.reactivestreams.Publisher;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that return a {@link Mono} or a {@link Flux}: each subscription takes the lock. */
final class LockedPublishers {
  private LockedPublishers() {}

  static Object empty(Result result) {
    return result == Result.MONO ? Mono.empty() : Flux.empty();
  }

  /** The publisher that acquires the lock, runs the call, and releases the lock. */
  static Object guarded(LockedInvocation call, boolean transactions) {
    Mono<Boolean> check = transactions ? Reactive.refused(call) : Mono.just(false);
    return call.plan().result() == Result.MONO
        ? check.flatMap(none -> mono(call.again()))
        : check.flatMapMany(none -> flux(call.again()));
  }

  private static Mono<Object> mono(LockedInvocation call) {
    return Mono.deferContextual(
            context ->
                Mono.fromFuture(
                    () ->
                        call.lock()
                            .withLockAsync(
                                call.plan().maxWait(),
                                lease ->
                                    Mono.from(published(call, lease))
                                        .contextWrite(context)
                                        .toFuture())))
        .onErrorResume(LockTimeoutException.class, busy -> Mono.from(otherwise(call, busy)));
  }

  private static Flux<Object> flux(LockedInvocation call) {
    DistributedLock lock = call.lock();
    Mono<Lease> acquired =
        Mono.fromFuture(() -> lock.acquireAsync(call.plan().maxWait()))
            // Granted at the moment of the cancellation
            .doOnDiscard(
                Lease.class,
                lease -> {
                  var unused = lease.releaseAsync();
                });
    return Flux.usingWhen(acquired, lease -> published(call, lease), LockedPublishers::released)
        .onErrorResume(LockTimeoutException.class, busy -> otherwise(call, busy));
  }

  private static Publisher<Void> released(Lease lease) {
    // As withLock: the client goes on releasing, and reports it
    return Mono.fromFuture(lease::releaseAsync)
        .onErrorResume(StoreException.class, unknown -> Mono.empty());
  }

  @SuppressWarnings("unchecked")
  private static Publisher<Object> published(LockedInvocation call, Lease lease) {
    try {
      return requireNonNull(
          (Publisher<Object>) call.run(lease), "the method has returned null, not a publisher");
    } catch (Exception e) {
      return Mono.error(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static Publisher<Object> otherwise(LockedInvocation call, LockTimeoutException busy) {
    if (call.isStarted()) {
      return Mono.error(busy);
    }
    try {
      return requireNonNull(
          (Publisher<Object>) LockedInterceptor.otherwise(call, busy), "the fallback");
    } catch (Throwable t) {
      return Mono.error(t);
    }
  }

  /** Apart, since an application may have Reactor and no transactions. */
  private static final class Reactive {
    /** An error if the subscriber has a transaction, for whose end the lock would not wait. */
    static Mono<Boolean> refused(LockedInvocation call) {
      return TransactionSynchronizationManager.forCurrentTransaction()
          .map(TransactionSynchronizationManager::isActualTransactionActive)
          .onErrorReturn(NoTransactionException.class, false)
          .flatMap(
              active ->
                  active
                      ? Mono.error(
                          new IllegalStateException(
                              call
                                  + " is inside a reactive transaction, for whose end its lock"
                                  + " cannot wait: call it outside of the transaction"))
                      : Mono.just(false));
    }
  }
}
