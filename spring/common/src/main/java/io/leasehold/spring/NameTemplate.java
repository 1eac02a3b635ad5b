package io.leasehold.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ObjectUtils;

/**
 * The text of a lock name, or of a key, with SpEL inside {@code #{…}}. Immutable and thread-safe.
 *
 * <p>SpEL reads an unknown variable as null and a null in a text as nothing, so that a spelling
 * error would give all calls one lock: here the first is an error of the text, the second one of
 * the call.
 */
final class NameTemplate {
  private static final ParameterNameDiscoverer PARAMETERS = new DefaultParameterNameDiscoverer();
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final Object NO_ROOT = new Object();
  private static final Set<String> GIVEN = Set.of("root", "this");

  private final String what;
  private final String text;
  private final List<Expression> parts;

  private NameTemplate(String what, String text, List<Expression> parts) {
    this.what = what;
    this.text = text;
    this.parts = parts;
  }

  /**
   * Reads a text.
   *
   * @param what it is the text of, for messages
   * @throws IllegalArgumentException or {@link org.springframework.expression.ParseException} if it
   *     cannot be understood
   */
  static NameTemplate parse(String what, String text, Method method) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("the " + what + " is empty");
    }
    Expression all = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
    NameTemplate template =
        new NameTemplate(
            what,
            text,
            all instanceof CompositeStringExpression composite
                ? List.of(composite.getExpressions())
                : List.of(all));
    Set<String> known = variables(method);
    for (Expression part : template.parts) {
      if (part instanceof SpelExpression spel) {
        template.requireKnown(spel.getAST(), known);
      }
    }
    return template;
  }

  /** What SpEL may name: {@code #id}, {@code #p0}, {@code #a0}. */
  private static Set<String> variables(Method method) {
    String[] names = PARAMETERS.getParameterNames(method);
    return Stream.concat(
            GIVEN.stream(),
            Stream.concat(
                names == null ? Stream.empty() : Arrays.stream(names),
                IntStream.range(0, method.getParameterCount())
                    .boxed()
                    .flatMap(i -> Stream.of("p" + i, "a" + i))))
        .collect(Collectors.toSet());
  }

  private void requireKnown(SpelNode node, Set<String> known) {
    if (node instanceof VariableReference variable) {
      String name = variable.toStringAST().substring(1);
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "'"
                + text
                + "' names #"
                + name
                + ", which is no parameter; there are "
                + known.stream().sorted().map(k -> "#" + k).collect(Collectors.joining(", "))
                + " (names need the compiler option -parameters)");
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      requireKnown(node.getChild(i), known);
    }
  }

  /** Whether it is a text without SpEL. */
  boolean isFixed() {
    return parts.stream().allMatch(LiteralExpression.class::isInstance);
  }

  /** What SpEL sees in one call. */
  static EvaluationContext context(Method method, @Nullable Object[] arguments, BeanFactory beans) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(NO_ROOT, method, arguments, PARAMETERS);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    return context;
  }

  /**
   * The one name for one call.
   *
   * @throws IllegalArgumentException if a part yields null, or the whole several names
   */
  String name(EvaluationContext call) {
    List<String> names = names(call);
    if (names.size() != 1) {
      throw new IllegalArgumentException(
          "the " + what + " '" + text + "' must yield one text, but yields " + names);
    }
    return names.get(0);
  }

  /**
   * The names for one call; one, unless the text is a single expression that yields several.
   *
   * @throws IllegalArgumentException if a part yields null, or the whole no name
   */
  List<String> names(EvaluationContext call) {
    if (parts.size() == 1) {
      return several(value(parts.get(0), call));
    }
    StringBuilder name = new StringBuilder();
    for (Expression part : parts) {
      name.append(value(part, call));
    }
    return List.of(name.toString());
  }

  private List<String> several(Object value) {
    List<String> names = new ArrayList<>();
    Object all =
        value.getClass().isArray() ? Arrays.asList(ObjectUtils.toObjectArray(value)) : value;
    if (all instanceof Iterable<?> elements) {
      for (Object element : elements) {
        if (element == null) {
          throw new IllegalArgumentException("a " + what + " is null: '" + text + "'");
        }
        names.add(element.toString());
      }
    } else {
      names.add(all.toString());
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException("there is no " + what + ": '" + text + "' yields none");
    }
    return names;
  }

  private Object value(Expression part, EvaluationContext call) {
    Object value = part.getValue(call);
    if (value == null) {
      throw new IllegalArgumentException(
          "a part of the "
              + what
              + " is null: #{"
              + part.getExpressionString()
              + "} of '"
              + text
              + "'");
    }
    return value;
  }
}
