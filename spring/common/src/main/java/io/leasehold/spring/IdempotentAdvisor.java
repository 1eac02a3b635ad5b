package io.leasehold.spring;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Makes {@link Idempotent} methods run once, in the proxies that Spring makes. The starters define
 * the bean, together with an {@link IdempotentChecks}.
 */
public final class IdempotentAdvisor extends AbstractPointcutAdvisor {
  /** The order of this advisor: inside of locks, outside of transactions. */
  public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 50;

  private static final long serialVersionUID = 1L;

  private final transient Pointcut pointcut = new AnnotatedMethods(Idempotent.class);
  private final transient IdempotentInterceptor interceptor;
  private final transient IdempotentReader reader;

  /** An advisor for the beans of this home. */
  public IdempotentAdvisor(IdempotentHome home) {
    this.reader = new IdempotentReader(new Placeholders(home.beans()::resolveEmbeddedValue), home);
    this.interceptor = new IdempotentInterceptor(reader, home);
    setOrder(ORDER);
  }

  IdempotentReader reader() {
    return reader;
  }

  @Override
  public Pointcut getPointcut() {
    return pointcut;
  }

  @Override
  public Advice getAdvice() {
    return interceptor;
  }
}
