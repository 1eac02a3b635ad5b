package io.leasehold.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** The methods that have an annotation, or override one that has it. */
final class AnnotatedMethods extends StaticMethodMatcherPointcut {
  private final Class<? extends Annotation> annotation;

  AnnotatedMethods(Class<? extends Annotation> annotation) {
    this.annotation = annotation;
    setClassFilter(type -> AnnotationUtils.isCandidateClass(type, annotation));
  }

  @Override
  public boolean matches(Method method, Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(
        ClassUtils.getMostSpecificMethod(method, type), annotation);
  }
}
