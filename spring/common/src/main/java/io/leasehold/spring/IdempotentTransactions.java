package io.leasehold.spring;

import static io.leasehold.spring.ProxyChecks.require;
import static java.util.Objects.requireNonNull;

import io.leasehold.idempotency.Action;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Key;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.dao.UncategorizedDataAccessException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Calls of which a transaction commits the claim, the work and the result, or none of them. Apart,
 * since an application may have no transactions.
 */
final class IdempotentTransactions extends TransactionAspectSupport {
  private static final boolean JDBC =
      ClassUtils.isPresent(
          "org.springframework.jdbc.datasource.ConnectionHolder",
          IdempotentTransactions.class.getClassLoader());

  private final IdempotentHome home;

  IdempotentTransactions(IdempotentHome home) {
    this.home = home;
    setBeanFactory(home.beans());
    setTransactionAttributeSource(
        (method, type) -> {
          TransactionAttribute attribute = attribute(home, type, method);
          return attribute == null ? null : new AlwaysRolledBack(attribute);
        });
  }

  private static @Nullable TransactionAttribute attribute(
      IdempotentHome home, @Nullable Class<?> type, Method method) {
    TransactionAttributeSource source =
        home.beans().getBeanProvider(TransactionAttributeSource.class).getIfUnique();
    return source == null ? null : source.getTransactionAttribute(method, type);
  }

  /**
   * Whether the method begins a transaction if its caller has none.
   *
   * @throws IllegalArgumentException if that is another one than its caller's
   */
  static boolean isOwn(IdempotentHome home, Class<?> type, Method method) {
    TransactionAttribute attribute = attribute(home, type, method);
    if (attribute == null) {
      return false;
    }
    return switch (attribute.getPropagationBehavior()) {
      case TransactionAttribute.PROPAGATION_REQUIRED, TransactionAttribute.PROPAGATION_NESTED ->
          true;
      case TransactionAttribute.PROPAGATION_SUPPORTS, TransactionAttribute.PROPAGATION_MANDATORY ->
          false;
      default -> {
        require(
            false,
            "its work would be committed apart from its result: use propagation REQUIRED, and call"
                + " it where there is no transaction");
        yield false;
      }
    };
  }

  /**
   * Whether a transaction that ended with this may have been committed: the answer of the database
   * was lost. What a database refuses is not one of these.
   */
  static boolean mayBeCommitted(Throwable thrown) {
    return thrown instanceof TransactionSystemException
        || thrown instanceof UncategorizedDataAccessException
        || thrown instanceof RecoverableDataAccessException
        || thrown instanceof NonTransientDataAccessResourceException
        || thrown instanceof TransientDataAccessResourceException;
  }

  /** Runs a call in the transaction that the calling thread has. */
  Optional<Object> joined(
      IdempotentMethod plan,
      Key key,
      Fingerprint fingerprint,
      Action<Optional<Object>, Exception> work)
      throws Exception {
    Connection connection =
        JDBC ? home.tables().map(IdempotencyTables::pool).map(Held::connection).orElse(null) : null;
    if (connection == null || plan.transactional().isEmpty()) {
      throw new IllegalStateException(
          plan
              + " is inside a transaction, whose rollback would not undo the result: keep results"
              + " in the DataSource of the transaction (a bean of type IdempotencyTables), or call"
              + " it outside of the transaction");
    }
    try {
      return plan.transactional().get().execute(connection, key, fingerprint, work);
    } catch (Throwable t) {
      TransactionSynchronizationManager.registerSynchronization(new Failed(plan, t));
      throw t;
    }
  }

  /** Runs a call in the transaction that the method says, which it then joins itself. */
  Optional<Object> own(
      IdempotentMethod plan,
      Class<?> type,
      Key key,
      Fingerprint fingerprint,
      Action<Optional<Object>, Exception> work)
      throws Throwable {
    Object result =
        invokeWithinTransaction(plan.method(), type, () -> joined(plan, key, fingerprint, work));
    @SuppressWarnings("unchecked")
    Optional<Object> all = (Optional<Object>) requireNonNull(result);
    return all;
  }

  /** With the claim in it, no exception may commit it. */
  private static final class AlwaysRolledBack extends DelegatingTransactionAttribute {
    private static final long serialVersionUID = 1L;

    AlwaysRolledBack(TransactionAttribute of) {
      super(of);
    }

    @Override
    public boolean rollbackOn(Throwable thrown) {
      return true;
    }
  }

  /** Keeps a caller that has caught the exception from committing the claim of no result. */
  private record Failed(IdempotentMethod plan, Throwable why)
      implements TransactionSynchronization {
    @Override
    public void beforeCommit(boolean readOnly) {
      throw new IllegalStateException(
          plan + " has failed in this transaction, which must roll back", why);
    }
  }

  /** Apart, since an application may have a pool and no spring-jdbc. */
  private static final class Held {
    /** The connection of the thread's transaction on this database; null if there is none. */
    static @Nullable Connection connection(DataSource pool) {
      DataSource real =
          pool instanceof TransactionAwareDataSourceProxy proxy
              ? requireNonNull(proxy.getTargetDataSource())
              : pool;
      return TransactionSynchronizationManager.getResource(real) instanceof ConnectionHolder holder
              && DataSourceUtils.isConnectionTransactional(holder.getConnection(), real)
          ? holder.getConnection()
          : null;
    }
  }
}
