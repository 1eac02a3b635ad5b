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
  private final Optional<DistributedLock> fixed;
  private final List<String> names;
  private volatile boolean started;

  /**
   * A call.
   *
   * @param fixed the lock, if it is the same for all calls
   * @param names its names
   */
  LockedInvocation(
      MethodInvocation invocation,
      LockedMethod plan,
      LockClient client,
      Optional<DistributedLock> fixed,
      List<String> names) {
    this.invocation = invocation;
    this.plan = plan;
    this.client = client;
    this.fixed = fixed;
    this.names = names;
    if (names.size() > 1 && !isSeveral() && !mayBeSeveral()) {
      throw new IllegalArgumentException(
          "the lock name of " + this + " yields several: " + names + "; the method takes one");
    }
  }

  /** The same call, which has not started: a subscriber may come again. */
  LockedInvocation again() {
    return new LockedInvocation(invocation, plan, client, fixed, names);
  }

  private boolean mayBeSeveral() {
    return plan.leaseAt() < 0 && plan.mode() == LockMode.EXCLUSIVE && plan.blocks();
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
    return fixed.isPresent() ? fixed.get() : plan.lock(client, names.get(0));
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
    // A copy where it may run on another thread, after the call has returned
    MethodInvocation own =
        plan.blocks() ? invocation : ((ProxyMethodInvocation) invocation).invocableClone();
    return proceed(own, plan.leaseAt(), lease);
  }

  /**
   * Runs the method, with this argument at this place.
   *
   * @param at the place; -1 if the method does not take it
   */
  static @Nullable Object proceed(MethodInvocation invocation, int at, Object argument)
      throws Exception {
    try {
      return (at < 0 ? invocation : with(invocation, at, argument)).proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new UndeclaredThrowableException(t);
    }
  }

  private static MethodInvocation with(MethodInvocation invocation, int at, Object argument) {
    @Nullable Object[] arguments = invocation.getArguments().clone();
    arguments[at] = argument;
    return ((ProxyMethodInvocation) invocation).invocableClone(arguments);
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
