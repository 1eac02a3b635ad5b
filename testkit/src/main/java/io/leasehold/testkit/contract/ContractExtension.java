package io.leasehold.testkit.contract;

import java.lang.reflect.Method;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Gives each test its {@link Testbed}, runs it on a thread of its own, so that one that hangs ends,
 * and requires that nothing is left of it.
 */
final class ContractExtension implements ParameterResolver, InvocationInterceptor {
  /** How long a wait may take, as ISO-8601 duration; for runs that expect to fail. */
  static final String PATIENCE = "leasehold.contract.patience";

  private static final Namespace SPACE = Namespace.create(ContractExtension.class);
  private static final Namespace LAUNCHED = Namespace.create(ContractRun.SPACE_NAME);
  private static final int PATIENCES_OF_A_TEST = 3;

  private final AtomicInteger names = new AtomicInteger();

  /** So that runs on one server do not meet. */
  private final String run = Integer.toString(new SecureRandom().nextInt(1 << 20), 36);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Testbed.class || type == Supplier.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (parameter.getParameter().getType() == Supplier.class) {
      return Objects.requireNonNull(
          context
              .getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, LAUNCHED)
              .get(ContractRun.FIXTURE));
    }
    return context.getStore(SPACE).computeIfAbsent(Testbed.class, type -> testbed(context));
  }

  private Testbed testbed(ExtensionContext context) {
    DriverContract contract = (DriverContract) context.getRequiredTestInstance();
    String test = context.getRequiredTestMethod().getName();
    String name =
        test.substring(0, 3).toLowerCase(Locale.ROOT) + names.incrementAndGet() + "." + run + ".";
    return new Testbed(contract.fixture(), new ThreadGroup(test), patience(context), name);
  }

  private static Duration patience(ExtensionContext context) {
    return context
        .getConfigurationParameter(PATIENCE)
        .map(Duration::parse)
        .orElse(Duration.ofSeconds(30));
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    Testbed bed = context.getStore(SPACE).get(Testbed.class, Testbed.class);
    if (bed == null) {
      invocation.proceed();
      return;
    }
    String test = context.getRequiredTestMethod().getName();
    Caller<String> body = bed.start(() -> run(test, invocation, bed));
    Duration limit = bed.patience().multipliedBy(PATIENCES_OF_A_TEST);
    if (!body.endsWithin(limit)) {
      AssertionError hangs = new AssertionError("the test hangs, after " + limit);
      hangs.setStackTrace(body.stack());
      body.interrupt();
      throw hangs;
    }
    body.result();
  }

  /** Itself, or that it came where another exception was expected. */
  private static boolean saysUnsupported(Throwable e) {
    return e instanceof UnsupportedOperationException
        || String.valueOf(e.getMessage()).contains(UnsupportedOperationException.class.getName());
  }

  private static String run(String test, Invocation<@Nullable Void> invocation, Testbed bed)
      throws Exception {
    try (AutoCloseable end = bed::close) {
      Objects.requireNonNull(end);
      if (bed.fixture().claim() == ContractFixture.Claim.PART) {
        bed.fixture().disclaims(test).ifPresent(ContractExtension::notClaimed);
      }
      invocation.proceed();
      bed.requireNothingLeft();
    } catch (UnsupportedOperationException | AssertionError e) {
      if (bed.fixture().claim() == ContractFixture.Claim.ALL || !saysUnsupported(e)) {
        throw e;
      }
      return notClaimed(e.getMessage());
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    return "";
  }

  private static String notClaimed(@Nullable String why) {
    return Assumptions.abort("not claimed: " + why);
  }
}
