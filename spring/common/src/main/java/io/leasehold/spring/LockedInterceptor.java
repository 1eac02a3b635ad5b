package io.leasehold.spring;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLock;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * Runs {@link Locked} methods under their locks. All waiting, renewing and losing is the client's:
 * here a call becomes one of {@link DistributedLock}. Thread-safe.
 */
final class LockedInterceptor implements MethodInterceptor {
  static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          LockedInterceptor.class.getClassLoader());

  private final Map<MethodClassKey, Plan> plans = new ConcurrentHashMap<>();
  private final LockedReader reader;
  private final Supplier<LockClient> client;
  private final EvaluationContext shared;

  /**
   * What is known of a method before it is called.
   *
   * @param lock if it is the same for all calls
   */
  private record Plan(LockedMethod method, Optional<DistributedLock> lock) {
    static Plan of(LockedMethod method, LockClient client) {
      return new Plan(method, method.fixedName().map(name -> method.lock(client, name)));
    }
  }

  LockedInterceptor(
      LockedReader reader, Supplier<LockClient> client, ConfigurableBeanFactory beans) {
    this.reader = reader;
    this.client = client;
    this.shared = CallContext.shared(beans);
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Plan known = known(invocation.getMethod(), type(invocation));
    LockedMethod plan = known.method();
    LockedInvocation call =
        new LockedInvocation(invocation, plan, client.get(), known.lock(), names(plan, invocation));
    boolean inTransaction = TRANSACTIONS && LockedTransactions.isActive();
    return switch (plan.result()) {
      case VALUE, OPTIONAL -> blocking(call, inTransaction);
      case STAGE -> staged(outside(inTransaction, call));
      case MONO, FLUX -> LockedPublishers.guarded(outside(inTransaction, call), TRANSACTIONS);
    };
  }

  private Plan known(Method method, Class<?> type) {
    MethodClassKey key = new MethodClassKey(method, type);
    Plan known = plans.get(key);
    return known != null
        ? known
        : plans.computeIfAbsent(key, k -> Plan.of(reader.read(type, method), client.get()));
  }

  static Class<?> type(MethodInvocation invocation) {
    Object target = invocation.getThis();
    return target == null
        ? invocation.getMethod().getDeclaringClass()
        : AopUtils.getTargetClass(target);
  }

  private List<String> names(LockedMethod plan, MethodInvocation invocation) {
    NameTemplate.Call call = new NameTemplate.Call(invocation.getArguments(), shared);
    if (plan.templates().size() == 1) {
      return plan.templates().get(0).names(call);
    }
    List<String> names = new ArrayList<>(plan.templates().size());
    for (NameTemplate template : plan.templates()) {
      names.addAll(template.names(call));
    }
    return names;
  }

  /** Another thread has no part in the caller's transaction, and could not wait for its end. */
  private static LockedInvocation outside(boolean inTransaction, LockedInvocation call) {
    if (inTransaction) {
      throw new IllegalStateException(
          call
              + " does not block, so its lock cannot wait for the end of the transaction of this"
              + " thread: call it outside of the transaction");
    }
    return call;
  }

  private static @Nullable Object blocking(LockedInvocation call, boolean inTransaction)
      throws Throwable {
    try {
      if (inTransaction) {
        return LockedTransactions.run(call);
      }
      Optional<MultiLock> locks = call.locks();
      return locks.isPresent()
          ? locks.get().<@Nullable Object, Exception>callWithLock(call.plan().maxWait(), call::run)
          : call.lock().<@Nullable Object, Exception>callWithLock(call.plan().maxWait(), call::run);
    } catch (LockTimeoutException e) {
      if (call.isStarted()) {
        throw e;
      }
      return otherwise(call, e);
    } catch (InterruptedException e) {
      if (call.isStarted() || call.declaresInterrupt()) {
        throw e;
      }
      Thread.currentThread().interrupt();
      throw new LockInterruptedException("interrupted while waiting for the lock of " + call, e);
    }
  }

  /** What a call returns whose lock was busy. */
  static @Nullable Object otherwise(LockedInvocation call, LockTimeoutException busy)
      throws Throwable {
    if (call.plan().fallback().isPresent()) {
      return call.fallBack();
    }
    if (!call.plan().skips()) {
      throw busy;
    }
    return switch (call.plan().result()) {
      case OPTIONAL -> Optional.empty();
      case STAGE -> CompletableFuture.completedFuture(null);
      case MONO, FLUX -> LockedPublishers.empty(call.plan().result());
      case VALUE -> null;
    };
  }

  private static CompletableFuture<@Nullable Object> staged(LockedInvocation call) {
    CompletableFuture<@Nullable Object> run =
        call.lock()
            .<@Nullable Object>withLockAsync(call.plan().maxWait(), lease -> call.stage(lease));
    if (!call.plan().skips() && call.plan().fallback().isEmpty()) {
      return run;
    }
    CompletableFuture<@Nullable Object> answer =
        run.handle((value, thrown) -> thrown == null ? run : staged(call, thrown))
            .thenCompose(Function.identity());
    // A dependent does not pass its cancellation on
    var unused =
        answer.whenComplete(
            (value, thrown) -> {
              if (answer.isCancelled()) {
                run.cancel(true);
              }
            });
    return answer;
  }

  @SuppressWarnings("unchecked")
  private static CompletionStage<@Nullable Object> staged(LockedInvocation call, Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (call.isStarted() || !(cause instanceof LockTimeoutException busy)) {
      return CompletableFuture.failedFuture(cause);
    }
    try {
      Object answer = otherwise(call, busy);
      return answer == null
          ? CompletableFuture.completedFuture(null)
          : (CompletionStage<@Nullable Object>) answer;
    } catch (Throwable t) {
      return CompletableFuture.failedFuture(t);
    }
  }
}
