package io.leasehold.spring;

import io.leasehold.LockClient;
import io.leasehold.LockException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Checks every {@link Locked} method at start-up, so that none runs without its lock: that it can
 * be understood, that the store can do what it asks, that its bean has a proxy, and that the lock
 * is outside of the transaction. A bean whose class is not known before it is made is checked at
 * the first call.
 */
public final class LockedChecks implements SmartInitializingSingleton {
  private static final String TRANSACTIONS =
      "org.springframework.transaction.interceptor.TransactionAspectSupport";

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
   * @throws InvalidLockedException names the first method that cannot work
   */
  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type =
          ScopedProxyUtils.isScopedTarget(name)
              ? beans.getType(name, false)
              : AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null && AnnotationUtils.isCandidateClass(type, Locked.class)) {
        check(name, ClassUtils.getUserClass(type));
      }
    }
  }

  private void check(String name, Class<?> type) {
    for (Method method :
        MethodIntrospector.selectMethods(
                type,
                (Method m) ->
                    AnnotatedElementUtils.findMergedAnnotation(m, Locked.class) != null
                        ? true
                        : null)
            .keySet()) {
      LockedMethod plan = advisor.reader().read(type, method);
      tryLock(type, plan);
      if (beans.containsSingleton(name) && !beans.isFactoryBean(name)) {
        checkProxy(beans.getSingleton(name), type, plan.method());
      }
    }
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
      throw new InvalidLockedException(type, plan.method(), String.valueOf(e.getMessage()), e);
    }
  }

  private void checkProxy(@Nullable Object bean, Class<?> type, Method method) {
    if (bean instanceof ScopedObject) {
      return;
    }
    List<Advisor> advisors =
        bean instanceof Advised proxy ? Arrays.asList(proxy.getAdvisors()) : List.of();
    int lock = advisors.indexOf(advisor);
    if (lock < 0) {
      throw new InvalidLockedException(
          type,
          method,
          "its bean has no proxy, so it would run without the lock: the bean is made before the"
              + " proxies can be, for a BeanPostProcessor, or bean factory code replaces the proxy",
          null);
    }
    for (Advisor outer : advisors.subList(0, lock)) {
      if (isTransaction(outer) && applies(outer, method, type)) {
        throw new InvalidLockedException(
            type,
            method,
            "its transaction would begin before the lock and commit after it: give"
                + " @EnableTransactionManagement an order after LockedAdvisor.ORDER, or none",
            null);
      }
    }
    if (bean != null && Proxy.isProxyClass(bean.getClass()) && !isInInterface(bean, method)) {
      throw new InvalidLockedException(
          type,
          method,
          "its bean has a proxy of its interfaces, and none of them has the method",
          null);
    }
  }

  private static boolean isInInterface(Object proxy, Method method) {
    return Arrays.stream(proxy.getClass().getInterfaces())
        .anyMatch(i -> ClassUtils.hasMethod(i, method.getName(), method.getParameterTypes()));
  }

  private static boolean isTransaction(Advisor advisor) {
    for (Class<?> c = advisor.getAdvice().getClass(); c != null; c = c.getSuperclass()) {
      if (c.getName().equals(TRANSACTIONS)) {
        return true;
      }
    }
    return false;
  }

  private static boolean applies(Advisor advisor, Method method, Class<?> type) {
    return !(advisor instanceof PointcutAdvisor pointed)
        || pointed.getPointcut().getMethodMatcher().matches(method, type);
  }
}
