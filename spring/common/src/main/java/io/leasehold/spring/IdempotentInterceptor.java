package io.leasehold.spring;

import io.leasehold.idempotency.Action;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Key;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import org.springframework.expression.EvaluationContext;

/**
 * Runs {@link Idempotent} methods once. All claiming, waiting and replaying is the toolkit's: here
 * a call becomes one of its operations. Thread-safe.
 */
final class IdempotentInterceptor implements MethodInterceptor {
  private final Map<MethodClassKey, IdempotentMethod> plans = new ConcurrentHashMap<>();
  private final IdempotentReader reader;
  private final EvaluationContext shared;
  private final @Nullable IdempotentTransactions transactions;

  IdempotentInterceptor(IdempotentReader reader, IdempotentHome home) {
    this.reader = reader;
    this.shared = CallContext.shared(home.beans());
    this.transactions = LockedInterceptor.TRANSACTIONS ? new IdempotentTransactions(home) : null;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Class<?> type = LockedInterceptor.type(invocation);
    IdempotentMethod plan =
        plans.computeIfAbsent(
            new MethodClassKey(invocation.getMethod(), type),
            key -> reader.read(type, invocation.getMethod()));
    NameTemplate.Call call = new NameTemplate.Call(invocation.getArguments(), shared);
    Key key = plan.key(call);
    Fingerprint fingerprint = plan.fingerprint(call);
    Action<Optional<Object>, Exception> work =
        claim -> Optional.ofNullable(LockedInvocation.proceed(invocation, plan.claimAt(), claim));
    Optional<Object> result;
    if (transactions != null && LockedTransactions.isActive()) {
      result = transactions.joined(plan, key, fingerprint, work);
    } else if (transactions != null && plan.ownTransaction() && plan.transactional().isPresent()) {
      result = transactions.own(plan, type, key, fingerprint, work);
    } else {
      result = plan.operation().execute(key, fingerprint, work);
    }
    return result.orElse(null);
  }
}
