package io.leasehold.spring;

import static io.leasehold.spring.ProxyChecks.isLater;
import static io.leasehold.spring.ProxyChecks.isSuspend;
import static io.leasehold.spring.ProxyChecks.require;
import static io.leasehold.spring.ProxyChecks.requireProxied;

import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.TransactionalOperation;
import io.leasehold.idempotency.WhileRunning;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ExpressionException;
import org.springframework.util.ClassUtils;

/** Reads the {@link Idempotent} of a method, and refuses what could not work. Thread-safe. */
final class IdempotentReader {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(10);

  private final Placeholders text;
  private final IdempotentHome home;

  IdempotentReader(Placeholders text, IdempotentHome home) {
    this.text = text;
    this.home = home;
  }

  /**
   * Reads it.
   *
   * @param method of this class or of one above it
   * @throws InvalidAnnotationException if it cannot work
   */
  IdempotentMethod read(Class<?> type, Method method) {
    Method own = ClassUtils.getMostSpecificMethod(method, type);
    try {
      Idempotent idempotent = AnnotatedElementUtils.findMergedAnnotation(own, Idempotent.class);
      if (idempotent == null) {
        throw new IllegalArgumentException("the annotation is not there");
      }
      return checked(type, own, idempotent);
    } catch (IllegalArgumentException | ExpressionException e) {
      throw new InvalidAnnotationException(
          Idempotent.class, type, own, String.valueOf(e.getMessage()), e);
    }
  }

  private IdempotentMethod checked(Class<?> type, Method method, Idempotent idempotent) {
    requireProxied(method);
    require(
        !isSuspend(method)
            && !isLater(method.getReturnType())
            && !CompletionStage.class.isAssignableFrom(method.getReturnType()),
        "the work must have ended when the method returns, and its result be a value");
    String given = text.resolved(idempotent.operation());
    String name = given.isEmpty() ? type.getSimpleName() + "." + method.getName() : given;
    NameTemplate value = template("key", idempotent.value(), method);
    ResultCodec codec = new ResultCodec(codec(type, method));
    Optional<Duration> keep = text.duration(idempotent.keep());
    boolean ownTransaction =
        LockedInterceptor.TRANSACTIONS && IdempotentTransactions.isOwn(home, type, method);
    return new IdempotentMethod(
        method,
        value,
        optional("principal", idempotent.principal(), method),
        optional("fingerprint", idempotent.fingerprint(), method),
        operation(idempotent, home.idempotency().operation(name, codec), keep, ownTransaction),
        home.tables()
            .map(
                tables ->
                    TransactionalOperation.of(name, codec)
                        .tables(tables.prefix())
                        .keep(keep.orElse(home.keep()))),
        ownTransaction,
        claimAt(method));
  }

  private NameTemplate template(String what, String written, Method method) {
    return NameTemplate.parse(what, text.resolved(written), method);
  }

  private Optional<NameTemplate> optional(String what, String written, Method method) {
    return written.isEmpty() ? Optional.empty() : Optional.of(template(what, written, method));
  }

  private Optional<Codec<Object>> codec(Class<?> type, Method method) {
    Type result = GenericTypeResolver.resolveType(method.getGenericReturnType(), type);
    return result == void.class || result == Void.class
        ? Optional.empty()
        : Optional.of(home.codecs().codec(result));
  }

  private IdempotentOperation<Optional<Object>> operation(
      Idempotent idempotent,
      IdempotentOperation<Optional<Object>> named,
      Optional<Duration> keep,
      boolean ownTransaction) {
    Duration maxWait = text.duration(idempotent.maxWait()).orElse(USUAL_WAIT);
    WhileRunning whileRunning =
        switch (idempotent.whileRunning()) {
          case FAIL -> WhileRunning.fail();
          case WAIT -> WhileRunning.await(maxWait);
          case JOIN -> WhileRunning.join(maxWait);
        };
    require(
        idempotent.whileRunning() != WhileRunning.Way.FAIL || idempotent.maxWait().isEmpty(),
        "maxWait needs whileRunning WAIT or JOIN");
    AfterException afterException = idempotent.afterException();
    IdempotentOperation<Optional<Object>> all =
        named
            .whileRunning(whileRunning)
            .onUnknown(idempotent.onUnknown())
            .afterException(
                thrown ->
                    thrown instanceof Error
                            || thrown instanceof InterruptedException
                            || (ownTransaction && IdempotentTransactions.mayBeCommitted(thrown))
                        ? AfterException.UNKNOWN
                        : afterException);
    return keep.isPresent() ? all.keep(keep.get()) : all;
  }

  private static int claimAt(Method method) {
    Class<?>[] types = method.getParameterTypes();
    int[] places = IntStream.range(0, types.length).filter(i -> types[i] == Claim.class).toArray();
    require(places.length <= 1, "there is one claim, but several parameters for it");
    return places.length == 0 ? -1 : places[0];
  }
}
