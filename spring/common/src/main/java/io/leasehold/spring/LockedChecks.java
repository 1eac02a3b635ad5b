package io.leasehold.spring;

import io.leasehold.LockClient;
import io.leasehold.LockException;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Checks every {@link Locked} method at start-up, so that none runs without its lock: that it can
 * be understood, that the store can do what it asks, that its bean has a proxy, and that the lock
 * is outside of the transaction. A bean whose class is not known before it is made is checked at
 * the first call.
 */
public final class LockedChecks implements SmartInitializingSingleton {
  private final LockedAdvisor advisor;
  private final Supplier<LockClient> client;
  private final ConfigurableListableBeanFactory beans;

  /** Checks the beans of this factory. */
  public LockedChecks(
      LockedAdvisor advisor, Supplier<LockClient> client, ConfigurableListableBeanFactory beans) {
    this.advisor = advisor;
    this.client = client;
    this.beans = beans;
  }

  /**
   * Checks all.
   *
   * @throws InvalidAnnotationException names the first method that cannot work
   */
  @Override
  public void afterSingletonsInstantiated() {
    new ProxyChecks(Locked.class, advisor, beans)
        .all(
            (type, method) -> {
              LockedMethod plan = advisor.reader().read(type, method);
              tryLock(type, plan);
              return plan.method();
            });
  }

  /** Whether the store can do what the options ask; sends no request. */
  private void tryLock(Class<?> type, LockedMethod plan) {
    try {
      if (plan.several()) {
        plan.locks(client.get(), List.of("checked"));
      } else {
        plan.lock(client.get(), "checked");
      }
    } catch (IllegalArgumentException | UnsupportedOperationException | LockException e) {
      throw new InvalidAnnotationException(
          Locked.class, type, plan.method(), String.valueOf(e.getMessage()), e);
    }
  }
}
