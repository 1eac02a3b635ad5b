package io.leasehold.spring;

import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.TransactionalOperation;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * What the {@link Idempotent} of one method says, read and checked. Immutable.
 *
 * @param method the method of the class, for its parameters
 * @param operation outside of a transaction
 * @param transactional inside one, if its results are in a database of the application
 * @param ownTransaction whether the method begins a transaction
 * @param claimAt the place of the parameter that receives the claim; -1 if there is none
 */
record IdempotentMethod(
    Method method,
    NameTemplate value,
    Optional<NameTemplate> principal,
    Optional<NameTemplate> fingerprint,
    IdempotentOperation<Optional<Object>> operation,
    Optional<TransactionalOperation<Optional<Object>>> transactional,
    boolean ownTransaction,
    int claimAt) {

  Key key(NameTemplate.Call call) {
    return Key.of(principal.map(each -> each.name(call)).orElse(""), value.name(call));
  }

  Fingerprint fingerprint(NameTemplate.Call call) {
    return fingerprint.map(each -> Fingerprint.of(each.name(call))).orElse(Fingerprint.none());
  }

  @Override
  public String toString() {
    return method.getDeclaringClass().getName() + "." + method.getName();
  }
}
