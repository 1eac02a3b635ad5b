package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimAnswer.Finished;
import io.leasehold.idempotency.spi.ClaimAnswer.Running;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.jdbc.SqlTables;
import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;

/**
 * An operation whose effects are all in one database: one transaction of the caller commits the
 * claim, the writes of the work and the result, or none of them. So the work has its effect exactly
 * once, and there are no unknown outcomes.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * String number = order.execute(connection, Key.of(user, header), print, claim -> insert(connection));
 * connection.commit();
 * }</pre>
 *
 * <p>PostgreSQL, MySQL, MariaDB, H2 and SQLite. Immutable and thread-safe; the connection is used
 * by the calling thread alone.
 *
 * @param <T> the type of its results
 */
public final class TransactionalOperation<T> {
  /**
   * Any value works: no other transaction sees the claim before the commit, and then it is
   * finished.
   */
  private static final Duration LIFE = Duration.ofDays(1);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final Codec<T> codec;
  private final String tables;
  private final Duration keep;
  private final int maxResult;

  private TransactionalOperation(
      String name, Codec<T> codec, String tables, Duration keep, int maxResult) {
    this.name = name;
    this.codec = codec;
    this.tables = tables;
    this.keep = keep;
    this.maxResult = maxResult;
  }

  /**
   * An operation, in tables whose names begin with {@code leasehold}; they must exist: {@link
   * IdempotencyStores#ddl}. The database keeps its results for a day.
   *
   * @param name its name; an {@link IdempotentOperation} with the same name has the same keys
   */
  public static <T> TransactionalOperation<T> of(String name, Codec<T> codec) {
    return new TransactionalOperation<>(name, codec, "leasehold", Duration.ofDays(1), 1 << 20);
  }

  /**
   * The same operation in tables with this prefix, with a schema and a dot before it if there is
   * one.
   */
  public TransactionalOperation<T> tables(String prefix) {
    return new TransactionalOperation<>(name, codec, prefix, keep, maxResult);
  }

  /** Sets how long the database keeps results. */
  public TransactionalOperation<T> keep(Duration time) {
    return new TransactionalOperation<>(
        name, codec, tables, Idempotency.Builder.requireKeep(time), maxResult);
  }

  /**
   * Runs the work of a key once, in the caller's transaction, which the caller commits. Waits for a
   * transaction that has claimed the same key and not ended, up to the lock timeout of the
   * connection. After any exception, roll back.
   *
   * @throws FingerprintMismatchException if the key was used for another request
   * @throws AlreadyRunningException if a call that is not transactional runs with the key, or
   *     another transaction blocked this one
   * @throws UnknownOutcomeException if a call that was not transactional never ended
   * @throws ReplayedException if such a call ended with an exception that is replayed
   * @throws ResultUnavailableException if the result cannot be written or read, or is larger than 1
   *     MiB
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws io.leasehold.StoreException if the database fails
   * @throws E if the work throws it
   */
  public <E extends Exception> T execute(
      Connection connection, Key key, Fingerprint fingerprint, Action<T, E> action) throws E {
    String scoped = key.scoped(name, false);
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    String owner = HexFormat.of().formatHex(random);
    String what = "operation '" + name + "', key " + scoped;
    Outcomes<T> outcomes = new Outcomes<>(codec, maxResult, what);
    ClaimRequest request =
        new ClaimRequest(scoped, owner, fingerprint.hex(), Intent.CLAIM, LIFE, keep);
    ClaimAnswer answer =
        SqlTables.inTransaction(
            connection,
            tables,
            statements -> new SqlClaims(statements, true).claim(request, false));
    if (answer instanceof Finished finished) {
      return outcomes.replay(finished.outcome());
    }
    if (!(answer instanceof Claimed claimed)) {
      throw refused(what, answer);
    }
    T value = action.run(new Within(claimed.token()));
    Outcome outcome = outcomes.of(value);
    if (outcome.kind() == Outcome.Kind.TOO_LARGE) {
      throw new ResultUnavailableException(
          what + ": the result has more than " + maxResult + " bytes; roll back", null);
    }
    ClaimId id = new ClaimId(scoped, owner, claimed.token());
    boolean stored =
        SqlTables.inTransaction(
            connection,
            tables,
            statements -> new SqlClaims(statements, true).complete(id, outcome, keep));
    if (!stored) {
      throw new StaleClaimException(
          what + ": the claim is gone; did the work end the transaction? Roll back");
    }
    return value;
  }

  private static IdempotencyException refused(String what, ClaimAnswer answer) {
    if (answer instanceof Running running) {
      return new AlreadyRunningException(
          what + " is being worked on by another call; roll back, and call again later",
          running.remaining());
    }
    if (answer instanceof ClaimAnswer.OtherFingerprint) {
      return new FingerprintMismatchException(
          what + " was used before for another request; use a new key for each request");
    }
    return new UnknownOutcomeException(
        what + ": an earlier call, outside of a transaction, began and never ended", null);
  }

  /**
   * The transaction keeps the row of the claim locked until it ends.
   *
   * @param token that of the claim
   */
  private record Within(long token) implements Claim {
    @Override
    public boolean isHeld() {
      return true;
    }
  }
}
