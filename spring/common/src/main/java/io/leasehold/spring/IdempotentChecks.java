package io.leasehold.spring;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Checks every {@link Idempotent} method at start-up, so that none runs twice for a mistake: that
 * it can be understood, that its result can be written, that its bean has a proxy, and that no
 * transaction is outside of it. A bean whose class is not known before it is made is checked at the
 * first call.
 */
public final class IdempotentChecks implements SmartInitializingSingleton {
  private final IdempotentAdvisor advisor;
  private final ConfigurableListableBeanFactory beans;

  /** Checks the beans of this factory. */
  public IdempotentChecks(IdempotentAdvisor advisor, ConfigurableListableBeanFactory beans) {
    this.advisor = advisor;
    this.beans = beans;
  }

  /**
   * Checks all.
   *
   * @throws InvalidAnnotationException names the first method that cannot work
   */
  @Override
  public void afterSingletonsInstantiated() {
    new ProxyChecks(Idempotent.class, advisor, beans)
        .all((type, method) -> advisor.reader().read(type, method).method());
  }
}
