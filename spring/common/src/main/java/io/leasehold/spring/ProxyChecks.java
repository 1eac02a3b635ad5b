package io.leasehold.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Checks at start-up that no call of an annotated method can pass its annotation by: its bean has a
 * proxy, and no transaction of the method is outside of it. A bean whose class is not known before
 * it is made is checked at the first call.
 */
final class ProxyChecks {
  private static final String TRANSACTIONS =
      "org.springframework.transaction.interceptor.TransactionAspectSupport";

  private final Class<? extends Annotation> annotation;
  private final Advisor advisor;
  private final ConfigurableListableBeanFactory beans;

  ProxyChecks(
      Class<? extends Annotation> annotation,
      Advisor advisor,
      ConfigurableListableBeanFactory beans) {
    this.annotation = annotation;
    this.advisor = advisor;
    this.beans = beans;
  }

  /**
   * Checks all.
   *
   * @param read reads the annotation of a method, and yields the method that has it
   * @throws InvalidAnnotationException names the first method that cannot work
   */
  void all(BiFunction<Class<?>, Method, Method> read) {
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type =
          ScopedProxyUtils.isScopedTarget(name)
              ? beans.getType(name, false)
              : AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null && AnnotationUtils.isCandidateClass(type, annotation)) {
        check(name, ClassUtils.getUserClass(type), read);
      }
    }
  }

  private void check(String name, Class<?> type, BiFunction<Class<?>, Method, Method> read) {
    for (Method method :
        MethodIntrospector.selectMethods(
                type,
                (Method m) ->
                    AnnotatedElementUtils.findMergedAnnotation(m, annotation) != null ? true : null)
            .keySet()) {
      Method own = read.apply(type, method);
      if (beans.containsSingleton(name) && !beans.isFactoryBean(name)) {
        checkProxy(beans.getSingleton(name), type, own);
      }
    }
  }

  private void checkProxy(@Nullable Object bean, Class<?> type, Method method) {
    if (bean instanceof ScopedObject) {
      return;
    }
    List<Advisor> advisors =
        bean instanceof Advised proxy ? Arrays.asList(proxy.getAdvisors()) : List.of();
    int own = advisors.indexOf(advisor);
    if (own < 0) {
      throw invalid(
          type,
          method,
          "its bean has no proxy, so it would run without it: the bean is made before the"
              + " proxies can be, for a BeanPostProcessor, or bean factory code replaces the proxy");
    }
    for (Advisor outer : advisors.subList(0, own)) {
      if (isTransaction(outer) && applies(outer, method, type)) {
        throw invalid(
            type,
            method,
            "its transaction would begin before it and commit after it: give"
                + " @EnableTransactionManagement an order after IdempotentAdvisor.ORDER, or none");
      }
    }
    if (bean != null && Proxy.isProxyClass(bean.getClass()) && !isInInterface(bean, method)) {
      throw invalid(
          type, method, "its bean has a proxy of its interfaces, and none of them has the method");
    }
  }

  private InvalidAnnotationException invalid(Class<?> type, Method method, String why) {
    return new InvalidAnnotationException(annotation, type, method, why, null);
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

  static void require(boolean met, String otherwise) {
    if (!met) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Refuses a method that no proxy can intercept. */
  static void requireProxied(Method method) {
    int modifiers = method.getModifiers();
    require(
        !Modifier.isPrivate(modifiers)
            && !Modifier.isFinal(modifiers)
            && !Modifier.isStatic(modifiers),
        "no proxy can intercept a private, final or static method: it would run without it");
    require(
        !Modifier.isFinal(method.getDeclaringClass().getModifiers()),
        "no proxy can intercept a method of a final class: it would run without it");
  }

  static boolean isSuspend(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .anyMatch(p -> p.getName().equals("kotlin.coroutines.Continuation"));
  }

  /** Whether the work of such a result goes on when the method has returned. */
  static boolean isLater(Class<?> type) {
    return Future.class.isAssignableFrom(type)
        || BaseStream.class.isAssignableFrom(type)
        || Flow.Publisher.class.isAssignableFrom(type)
        || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
            .anyMatch(i -> i.getName().equals("org.reactivestreams.Publisher"));
  }
}
