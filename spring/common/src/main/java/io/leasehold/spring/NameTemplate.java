package io.leasehold.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
  private static final Set<String> GIVEN = Set.of("#root", "#this");

  private final String what;
  private final String text;
  private final List<Part> parts;

  private NameTemplate(String what, String text, List<Part> parts) {
    this.what = what;
    this.text = text;
    this.parts = parts;
  }

  /**
   * A literal, a parameter, or an expression; only the last one needs a context, which is dear.
   *
   * @param text as it is written
   * @param literal whether its value is that text
   */
  private record Part(String text, boolean literal, Function<Call, @Nullable Object> value) {
    static Part of(Expression expression, List<Set<String>> parameters) {
      String text = expression.getExpressionString();
      if (expression instanceof LiteralExpression) {
        return new Part(text, true, call -> text);
      }
      for (int i = 0; i < parameters.size(); i++) {
        if (parameters.get(i).contains(text.strip())) {
          int at = i;
          return new Part(text, false, call -> call.arguments[at]);
        }
      }
      return new Part(text, false, call -> expression.getValue(call.context()));
    }
  }

  /** One call, as templates see it. Not thread-safe. */
  static final class Call {
    private final Method method;
    private final @Nullable Object[] arguments;
    private final BeanFactory beans;
    private @Nullable EvaluationContext context;

    Call(Method method, @Nullable Object[] arguments, BeanFactory beans) {
      this.method = method;
      this.arguments = arguments;
      this.beans = beans;
    }

    private EvaluationContext context() {
      EvaluationContext made = context;
      if (made == null) {
        MethodBasedEvaluationContext spel =
            new MethodBasedEvaluationContext(NO_ROOT, method, arguments, PARAMETERS);
        spel.setBeanResolver(new BeanFactoryResolver(beans));
        made = spel;
        context = made;
      }
      return made;
    }
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
    List<Expression> expressions =
        all instanceof CompositeStringExpression composite
            ? List.of(composite.getExpressions())
            : List.of(all);
    List<Set<String>> parameters = parameters(method);
    NameTemplate template =
        new NameTemplate(
            what, text, expressions.stream().map(each -> Part.of(each, parameters)).toList());
    Set<String> known =
        Stream.concat(GIVEN.stream(), parameters.stream().flatMap(Set::stream))
            .collect(Collectors.toSet());
    for (Expression part : expressions) {
      if (part instanceof SpelExpression spel) {
        template.requireKnown(spel.getAST(), known);
      }
    }
    return template;
  }

  /** What SpEL may call each parameter: {@code #id}, {@code #p0}, {@code #a0}. */
  private static List<Set<String>> parameters(Method method) {
    String[] names = PARAMETERS.getParameterNames(method);
    return IntStream.range(0, method.getParameterCount())
        .mapToObj(
            i ->
                names == null || names[i] == null
                    ? Set.of("#p" + i, "#a" + i)
                    : Stream.of("#" + names[i], "#p" + i, "#a" + i).collect(Collectors.toSet()))
        .toList();
  }

  private void requireKnown(SpelNode node, Set<String> known) {
    if (node instanceof VariableReference variable) {
      String name = variable.toStringAST();
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "'"
                + text
                + "' names "
                + name
                + ", which is no parameter; there are "
                + known.stream().sorted().collect(Collectors.joining(", "))
                + " (names need the compiler option -parameters)");
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      requireKnown(node.getChild(i), known);
    }
  }

  /** The name, if the text has no SpEL. */
  Optional<String> fixed() {
    return parts.size() == 1 && parts.get(0).literal()
        ? Optional.of(parts.get(0).text())
        : Optional.empty();
  }

  /**
   * The one name for one call.
   *
   * @throws IllegalArgumentException if a part yields null, or the whole several names
   */
  String name(Call call) {
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
  List<String> names(Call call) {
    if (parts.size() == 1) {
      return several(value(parts.get(0), call));
    }
    StringBuilder name = new StringBuilder();
    for (Part part : parts) {
      name.append(value(part, call));
    }
    return List.of(name.toString());
  }

  private List<String> several(Object value) {
    if (value instanceof String one) {
      return List.of(one);
    }
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

  private Object value(Part part, Call call) {
    Object value = part.value().apply(call);
    if (value == null) {
      throw new IllegalArgumentException(
          "a part of the " + what + " is null: #{" + part.text() + "} of '" + text + "'");
    }
    return value;
  }
}
