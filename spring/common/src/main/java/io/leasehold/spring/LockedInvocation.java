package io.leasehold.spring;

import static java.util.Objects.requireNonNull;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.MultiLock;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** One call of a {@link Locked} method. The method runs at most once. */
final class LockedInvocation {
  private final MethodInvocation invocation;
  private final LockedMethod plan;
  private final LockClient client;
  private final List<String> names;
  private volatile boolean started;

  LockedInvocation(
      MethodInvocation invocation, LockedMethod plan, LockClient client, List<String> names) {
    this.invocation = invocation;
    this.plan = plan;
    this.client = client;
    this.names = names;
    if (names.size() > 1 && !isSeveral() && !mayBeSeveral()) {
      throw new IllegalArgumentException(
          "the lock name of " + this + " yields several: " + names + "; the method takes one");
    }
  }

  /** The same call, which has not started: a subscriber may come again. */
  LockedInvocation again() {
    return new LockedInvocation(invocation, plan, client, names);
  }

  private boolean mayBeSeveral() {
    return plan.leaseAt() < 0
        && plan.mode() == LockMode.EXCLUSIVE
        && (plan.result() == LockedMethod.Result.VALUE
            || plan.result() == LockedMethod.Result.OPTIONAL);
  }

  private boolean isSeveral() {
    return plan.several();
  }

  /** The locks, if it takes several. */
  Optional<MultiLock> locks() {
    return isSeveral() || names.size() > 1
        ? Optional.of(plan.locks(client, names))
        : Optional.empty();
  }

  /** The lock, if it takes one. */
  DistributedLock lock() {
    return plan.lock(client, names.get(0));
  }

  LockedMethod plan() {
    return plan;
  }

  /** Whether the method has started: what is thrown from then on is not about its lock. */
  boolean isStarted() {
    return started;
  }

  /** Runs the method with its lease. */
  @Nullable Object run(Object lease) throws Exception {
    started = true;
    return proceed(invocation, plan.leaseAt(), lease);
  }

  /**
   * Runs the method, with this argument at this place.
   *
   * @param at the place; -1 if the method does not take it
   */
  static @Nullable Object proceed(MethodInvocation invocation, int at, Object argument)
      throws Exception {
    @Nullable Object[] arguments = invocation.getArguments().clone();
    if (at >= 0) {
      arguments[at] = argument;
    }
    try {
      // A copy: it may run on another thread, after the call has returned
      return ((ProxyMethodInvocation) invocation).invocableClone(arguments).proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new UndeclaredThrowableException(t);
    }
  }

  /** Runs the method, which returns a stage. */
  CompletionStage<@Nullable Object> stage(Object lease) {
    try {
      @SuppressWarnings("unchecked")
      CompletionStage<@Nullable Object> stage = (CompletionStage<@Nullable Object>) run(lease);
      return requireNonNull(stage, "the method has returned null, not a stage");
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** What the fallback returns; what it throws is thrown. */
  @Nullable Object fallBack() throws Throwable {
    @Nullable Object[] all = invocation.getArguments();
    @Nullable Object[] arguments =
        IntStream.range(0, all.length)
            .filter(i -> i != plan.leaseAt())
            .mapToObj(i -> all[i])
            .toArray();
    return AopUtils.invokeJoinpointUsingReflection(
        requireNonNull(invocation.getThis()), plan.fallback().orElseThrow(), arguments);
  }

  boolean declaresInterrupt() {
    return Arrays.stream(plan.method().getExceptionTypes())
        .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
  }

  @Override
  public String toString() {
    return plan.method().getDeclaringClass().getName() + "." + plan.method().getName();
  }
}
