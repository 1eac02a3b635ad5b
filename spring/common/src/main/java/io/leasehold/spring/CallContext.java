package io.leasehold.spring;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * What SpEL sees of one call: its arguments, as variables that it cannot set. The rest is shared by
 * all calls, since it is dear to make, and keeps what it has found by reflection.
 */
final class CallContext implements EvaluationContext {
  private final Map<String, Integer> places;
  private final @Nullable Object[] arguments;
  private final EvaluationContext shared;

  /**
   * One call.
   *
   * @param places of the parameters, by what SpEL may call them
   */
  CallContext(Map<String, Integer> places, @Nullable Object[] arguments, EvaluationContext shared) {
    this.places = places;
    this.arguments = arguments;
    this.shared = shared;
  }

  /** What all calls share: the beans, and how values are read. Thread-safe. */
  static EvaluationContext shared(ConfigurableBeanFactory beans) {
    StandardEvaluationContext shared = new StandardEvaluationContext(new Object());
    shared.setBeanResolver(new BeanFactoryResolver(beans));
    // Not that of the thread that happens to call first
    shared.setTypeLocator(new StandardTypeLocator(beans.getBeanClassLoader()));
    return shared;
  }

  @Override
  public @Nullable Object lookupVariable(String name) {
    Integer at = places.get(name);
    return at == null ? null : arguments[at];
  }

  @Override
  public void setVariable(String name, @Nullable Object value) {
    throw new UnsupportedOperationException("#" + name + " is read, not set");
  }

  @Override
  public boolean isAssignmentEnabled() {
    return false;
  }

  @Override
  public TypedValue getRootObject() {
    return shared.getRootObject();
  }

  @Override
  public List<PropertyAccessor> getPropertyAccessors() {
    return shared.getPropertyAccessors();
  }

  @Override
  public List<IndexAccessor> getIndexAccessors() {
    return shared.getIndexAccessors();
  }

  @Override
  public List<ConstructorResolver> getConstructorResolvers() {
    return shared.getConstructorResolvers();
  }

  @Override
  public List<MethodResolver> getMethodResolvers() {
    return shared.getMethodResolvers();
  }

  @Override
  public @Nullable BeanResolver getBeanResolver() {
    return shared.getBeanResolver();
  }

  @Override
  public TypeLocator getTypeLocator() {
    return shared.getTypeLocator();
  }

  @Override
  public TypeConverter getTypeConverter() {
    return shared.getTypeConverter();
  }

  @Override
  public TypeComparator getTypeComparator() {
    return shared.getTypeComparator();
  }

  @Override
  public OperatorOverloader getOperatorOverloader() {
    return shared.getOperatorOverloader();
  }
}
