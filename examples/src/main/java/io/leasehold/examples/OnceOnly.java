package io.leasehold.examples;

import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.OneTimeTokens;
import io.leasehold.idempotency.Reconciler.Finding;
import io.leasehold.idempotency.TransactionalOperation;
import io.leasehold.idempotency.WhileRunning;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/** Work that is done once, as docs/idempotency.md shows it. */
public final class OnceOnly {
  private OnceOnly() {}

  /** What charges a card, and can tell what it did. */
  public interface Gateway {
    /** Charges, for a key of its own. */
    String charge(String order, long fence);

    /** The receipt of an order, if it was charged. */
    Optional<String> find(String order);
  }

  /** Charges once, whatever the client does. */
  public static String charge(
      String url, String user, String header, String order, byte[] body, Gateway gateway) {
    try (Idempotency idempotency = Idempotency.connect(url)) {
      IdempotentOperation<String> charge =
          idempotency
              .operation("charge", Codec.TEXT)
              .keep(Duration.ofDays(7))
              .whileRunning(WhileRunning.await(Duration.ofSeconds(10)));
      return charge.execute(
          Key.of(user, header),
          Fingerprint.of(body),
          claim -> gateway.charge(order, claim.token()));
    }
  }

  /** The same, with a way to find out what a process did that died. */
  static IdempotentOperation<String> reconciled(
      IdempotentOperation<String> charge, Gateway gateway, String order) {
    return charge.reconcile(
        claim -> gateway.find(order).map(Finding::done).orElseGet(Finding::notDone));
  }

  /** Claim, order and result in one transaction. */
  static String inOneTransaction(
      Connection connection, String user, String header, Fingerprint print) throws SQLException {
    connection.setAutoCommit(false);
    String number =
        TransactionalOperation.of("order", Codec.TEXT)
            .execute(connection, Key.of(user, header), print, claim -> insertOrder(connection));
    connection.commit();
    return number;
  }

  private static String insertOrder(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO orders (number) VALUES ('4711')");
      return "4711";
    }
  }

  /** For a hidden field. */
  static String form(OneTimeTokens tokens, String user) {
    String hidden = tokens.issue("order:" + user, Duration.ofHours(1));
    return "<input type=hidden name=token value=" + hidden + ">";
  }

  /** The form comes back, once or twice. */
  static String submitted(
      OneTimeTokens tokens,
      String user,
      String submitted,
      String cart,
      IdempotentOperation<String> order) {
    return tokens.consumeAfter("order:" + user, submitted, order, claim -> book(cart));
  }

  private static String book(String cart) {
    return "order of " + cart;
  }
}
