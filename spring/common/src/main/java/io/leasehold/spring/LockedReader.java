package io.leasehold.spring;

import static io.leasehold.spring.ProxyChecks.isLater;
import static io.leasehold.spring.ProxyChecks.isSuspend;
import static io.leasehold.spring.ProxyChecks.require;
import static io.leasehold.spring.ProxyChecks.requireProxied;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import io.leasehold.spring.LockedMethod.Result;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ExpressionException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reads the {@link Locked} of a method, and refuses what could not work. Thread-safe. */
final class LockedReader {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(10);
  private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

  private final Placeholders text;

  LockedReader(UnaryOperator<@Nullable String> placeholders) {
    this.text = new Placeholders(placeholders);
  }

  /**
   * Reads it.
   *
   * @param method of this class or of one above it
   * @throws InvalidAnnotationException if it cannot work
   */
  LockedMethod read(Class<?> type, Method method) {
    Method own = ClassUtils.getMostSpecificMethod(method, type);
    try {
      Locked locked = AnnotatedElementUtils.findMergedAnnotation(own, Locked.class);
      if (locked == null) {
        throw new IllegalArgumentException("the annotation is not there");
      }
      return checked(type, own, locked);
    } catch (IllegalArgumentException | ExpressionException e) {
      throw new InvalidAnnotationException(
          Locked.class, type, own, String.valueOf(e.getMessage()), e);
    }
  }

  private LockedMethod checked(Class<?> type, Method method, Locked locked) {
    requireProxied(method);
    Result result = result(method);
    List<NameTemplate> templates = new ArrayList<>();
    for (String name : locked.value()) {
      templates.add(NameTemplate.parse("lock name", text.resolved(name), method));
    }
    require(!templates.isEmpty(), "there is no lock name");
    int leaseAt = leaseAt(method);
    boolean several = templates.size() > 1 || takes(method, leaseAt, MultiLease.class);
    require(
        !(several && takes(method, leaseAt, Lease.class)),
        "several names need a parameter of type MultiLease, not Lease");
    boolean waits = result == Result.VALUE || result == Result.OPTIONAL;
    require(waits || !several, "a method that returns a stage or a publisher takes one name");
    int[] permits = permits(text.resolved(locked.permits()));
    LockMode mode = permits[1] > 0 ? LockMode.PERMITS : locked.mode();
    require(permits[1] > 0 || mode != LockMode.PERMITS, "mode PERMITS needs permits, as \"2/5\"");
    require(
        permits[1] == 0 || locked.mode() != LockMode.SHARED,
        "permits and mode SHARED exclude each other");
    require(!several || mode == LockMode.EXCLUSIVE, "several names are exclusive");
    boolean skips = skips(method, locked);
    return new LockedMethod(
        method,
        templates,
        several,
        text.duration(locked.maxWait()).orElse(skips ? Duration.ZERO : USUAL_WAIT),
        options(locked),
        mode,
        permits[0],
        permits[1],
        skips,
        fallback(type, method, locked, leaseAt),
        result,
        leaseAt);
  }

  private static Result result(Method method) {
    Class<?> type = method.getReturnType();
    require(!isSuspend(method), "a suspend function is not supported: use withLock inside it");
    if (CompletionStage.class.isAssignableFrom(type)) {
      require(
          type == CompletionStage.class || type == CompletableFuture.class,
          "a stage must be a CompletionStage or CompletableFuture, not " + type.getName());
      return Result.STAGE;
    }
    return switch (type.getName()) {
      case "reactor.core.publisher.Mono" -> Result.MONO;
      case "reactor.core.publisher.Flux" -> Result.FLUX;
      case "java.util.Optional" -> Result.OPTIONAL;
      default -> {
        require(
            !isLater(type),
            "work that goes on after the method has returned a "
                + type.getName()
                + " would run without the lock: return a value, a CompletionStage, a Mono or a Flux");
        yield Result.VALUE;
      }
    };
  }

  private static int leaseAt(Method method) {
    Class<?>[] types = method.getParameterTypes();
    int[] places =
        IntStream.range(0, types.length)
            .filter(i -> types[i] == Lease.class || types[i] == MultiLease.class)
            .toArray();
    require(places.length <= 1, "there is one lease, but several parameters for it");
    return places.length == 0 ? -1 : places[0];
  }

  private static boolean takes(Method method, int leaseAt, Class<?> type) {
    return leaseAt >= 0 && method.getParameterTypes()[leaseAt] == type;
  }

  /** How many permits, and of how many; 0 of 0 if it is no semaphore. */
  private static int[] permits(String text) {
    if (text.isEmpty()) {
      return new int[] {0, 0};
    }
    require(
        text.matches("\\d{1,9}(/\\d{1,9})?"),
        "permits must be \"5\" (one of 5) or \"2/5\" (two of 5), but is '" + text + "'");
    String[] parts = text.split("/", -1);
    int size = Integer.parseInt(parts[parts.length - 1]);
    int count = parts.length == 1 ? 1 : Integer.parseInt(parts[0]);
    require(
        count >= 1 && count <= size, "permits must be from 1 to the size, but is '" + text + "'");
    return new int[] {count, size};
  }

  private boolean skips(Method method, Locked locked) {
    if (!locked.fallback().isEmpty()) {
      require(locked.busy() == Busy.AUTO, "busy and fallback exclude each other");
      return false;
    }
    boolean skips =
        locked.busy() == Busy.SKIP
            || (locked.busy() == Busy.AUTO
                && Arrays.stream(method.getAnnotations())
                    .anyMatch(a -> isScheduled(a.annotationType())));
    require(
        !skips || method.getReturnType() == void.class || !method.getReturnType().isPrimitive(),
        "a call that is skipped has no "
            + method.getReturnType()
            + " to return: return an object, let it throw, or name a fallback");
    return skips;
  }

  private static boolean isScheduled(Class<?> annotation) {
    return annotation.getName().equals(SCHEDULED)
        || annotation.getName().equals(SCHEDULED + "s")
        || Arrays.stream(annotation.getAnnotations())
            .anyMatch(meta -> meta.annotationType().getName().equals(SCHEDULED));
  }

  private static Optional<Method> fallback(
      Class<?> type, Method method, Locked locked, int leaseAt) {
    if (locked.fallback().isEmpty()) {
      return Optional.empty();
    }
    Class<?>[] types = method.getParameterTypes();
    Class<?>[] wanted =
        IntStream.range(0, types.length)
            .filter(i -> i != leaseAt)
            .mapToObj(i -> types[i])
            .toArray(Class<?>[]::new);
    Method found = ReflectionUtils.findMethod(type, locked.fallback(), wanted);
    if (found == null || !ClassUtils.isAssignable(method.getReturnType(), found.getReturnType())) {
      throw new IllegalArgumentException(
          "there is no fallback "
              + method.getReturnType().getSimpleName()
              + " "
              + locked.fallback()
              + Arrays.stream(wanted).map(Class::getSimpleName).toList());
    }
    ReflectionUtils.makeAccessible(found);
    return Optional.of(found);
  }

  /** The default options themselves if nothing is said, for which the client has all prepared. */
  private LockOptions options(Locked locked) {
    LockOptions options = locked.fair() ? LockOptions.defaults().fair() : LockOptions.defaults();
    options = text.duration(locked.ttl()).map(options::withTtl).orElse(options);
    options = text.duration(locked.maxHold()).map(options::withMaxHold).orElse(options);
    return text.duration(locked.minHold()).map(options::withMinHold).orElse(options);
  }
}
