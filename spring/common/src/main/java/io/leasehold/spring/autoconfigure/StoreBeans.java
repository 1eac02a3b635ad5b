package io.leasehold.spring.autoconfigure;

import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The beans of one type that locks can be kept in.
 *
 * @param <T> the type
 */
abstract class StoreBeans<T> {
  private final Class<T> type;

  StoreBeans(Class<T> type) {
    this.type = type;
  }

  /** Their names; only the primary one if there is one. */
  List<String> names(ConfigurableListableBeanFactory beans) {
    List<String> all =
        Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, false, true))
            .filter(name -> !beans.containsBeanDefinition(name) || isMeant(beans, name))
            .toList();
    List<String> primary =
        all.stream()
            .filter(name -> beans.containsBeanDefinition(name))
            .filter(name -> beans.getMergedBeanDefinition(name).isPrimary())
            .toList();
    List<String> left = primary.isEmpty() ? all : primary;
    return left.stream().filter(name -> serves(beans.getBean(name, type))).toList();
  }

  private static boolean isMeant(ConfigurableListableBeanFactory beans, String name) {
    BeanDefinition definition = beans.getMergedBeanDefinition(name);
    return definition.isAutowireCandidate();
  }

  /** Whether locks can be kept in this one. */
  boolean serves(T bean) {
    return true;
  }

  /** Whether the bean with this name is of the type. */
  boolean has(ConfigurableListableBeanFactory beans, String name) {
    return beans.isTypeMatch(name, type);
  }

  /** The store in the bean with this name. */
  OpenableStore in(
      ConfigurableListableBeanFactory beans, String name, LeaseholdProperties settings) {
    T bean = beans.getBean(name, type);
    if (!serves(bean)) {
      throw new LeaseholdSettingsException(
          "locks cannot be kept in the bean '" + name + "': " + limits(), StoreChoice.WRITE_URL);
    }
    return in(bean, settings);
  }

  /** What they are, for messages. */
  abstract String what();

  /** Which of them serve, for messages. */
  abstract String limits();

  abstract OpenableStore in(T bean, LeaseholdProperties settings);
}
