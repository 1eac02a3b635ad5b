package io.leasehold.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
  private static final Set<String> GIVEN = Set.of("#root", "#this");

  private final String what;
  private final String text;
  private final List<Part> parts;
  private final Optional<List<String>> fixed;

  private NameTemplate(String what, String text, List<Part> parts) {
    this.what = what;
    this.text = text;
    this.parts = parts;
    this.fixed =
        parts.size() == 1 && parts.get(0).literal()
            ? Optional.of(List.of(parts.get(0).text()))
            : Optional.empty();
  }

  /**
   * A literal, a parameter, or an expression; only the last one needs a context.
   *
   * @param text as it is written
   * @param literal whether its value is that text
   */
  private record Part(String text, boolean literal, Function<Call, @Nullable Object> value) {
    static Part of(Expression expression, Map<String, Integer> places) {
      String text = expression.getExpressionString();
      if (expression instanceof LiteralExpression) {
        return new Part(text, true, call -> text);
      }
      String variable = text.strip();
      Integer at = variable.startsWith("#") ? places.get(variable.substring(1)) : null;
      if (at != null) {
        int place = at;
        return new Part(text, false, call -> call.arguments[place]);
      }
      return new Part(
          text,
          false,
          call -> expression.getValue(new CallContext(places, call.arguments, call.shared)));
    }
  }

  /** One call, as templates see it. */
  static final class Call {
    private final @Nullable Object[] arguments;
    private final EvaluationContext shared;

    /**
     * A call.
     *
     * @param shared see {@link CallContext}
     */
    Call(@Nullable Object[] arguments, EvaluationContext shared) {
      this.arguments = arguments;
      this.shared = shared;
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
    Map<String, Integer> places = places(method);
    NameTemplate template =
        new NameTemplate(
            what, text, expressions.stream().map(each -> Part.of(each, places)).toList());
    Set<String> known =
        Stream.concat(GIVEN.stream(), places.keySet().stream().map(name -> "#" + name))
            .collect(Collectors.toSet());
    for (Expression part : expressions) {
      if (part instanceof SpelExpression spel) {
        template.requireKnown(spel.getAST(), known);
      }
    }
    return template;
  }

  /**
   * The places of the parameters by what SpEL may call them: {@code id}, {@code p0}, {@code a0}.
   */
  private static Map<String, Integer> places(Method method) {
    String[] names = PARAMETERS.getParameterNames(method);
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < method.getParameterCount(); i++) {
      places.put("a" + i, i);
      places.put("p" + i, i);
      if (names != null && names[i] != null) {
        places.put(names[i], i);
      }
    }
    return Map.copyOf(places);
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
    return fixed.map(names -> names.get(0));
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
    if (fixed.isPresent()) {
      return fixed.get();
    }
    if (parts.size() == 1) {
      return several(value(parts.get(0), call));
    }
    // Mostly a literal and a parameter: a builder would cost more
    String name = value(parts.get(0), call).toString();
    for (int i = 1; i < parts.size(); i++) {
      name += value(parts.get(i), call);
    }
    return List.of(name);
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
