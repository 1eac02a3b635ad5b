package io.leasehold.spring;

import io.leasehold.LockClient;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts {@link Locked} methods under their locks, in the proxies that Spring makes. The starters
 * define the bean, together with a {@link LockedChecks}.
 */
public final class LockedAdvisor extends AbstractPointcutAdvisor {
  /**
   * The order of this advisor: outside of transactions, whose order is {@link
   * Ordered#LOWEST_PRECEDENCE} by default.
   */
  public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

  private static final long serialVersionUID = 1L;

  private final transient Pointcut pointcut = new AnnotatedMethods(Locked.class);
  private final transient LockedInterceptor interceptor;
  private final transient LockedReader reader;

  /**
   * An advisor for the beans of this factory.
   *
   * @param client asked once, at the first call of a {@link Locked} method
   */
  public LockedAdvisor(Supplier<LockClient> client, ConfigurableBeanFactory beans) {
    this.reader = new LockedReader(beans::resolveEmbeddedValue);
    this.interceptor = new LockedInterceptor(reader, SingletonSupplier.of(client), beans);
    setOrder(ORDER);
  }

  LockedReader reader() {
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
