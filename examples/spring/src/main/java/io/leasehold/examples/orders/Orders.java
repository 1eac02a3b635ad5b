package io.leasehold.examples.orders;

import io.leasehold.Lease;
import io.leasehold.jdbc.FencedWrites;
import io.leasehold.spring.Idempotent;
import io.leasehold.spring.Locked;
import java.sql.Connection;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pays orders from accounts. */
@Service
public class Orders {
  private final JdbcTemplate jdbc;
  private final String instance;

  Orders(JdbcTemplate jdbc, @Value("${server.port}") String instance) {
    this.jdbc = jdbc;
    this.instance = instance;
  }

  /**
   * Pays an order once, however often it is asked to. One call at a time works on an account. A
   * call that was paused for longer than its lease moves no money: the account has seen a higher
   * token.
   */
  @Locked("account:#{#account}")
  @Idempotent(value = "#{#order}", operation = "pay", fingerprint = "#{#account} #{#cents}")
  @Transactional
  public Receipt pay(long order, long account, long cents, Lease lease) {
    guard(account, lease);
    jdbc.update("update account set cents = cents - ? where id = ?", cents, account);
    jdbc.update("insert into orders (id, cents, paid_by) values (?, ?, ?)", order, cents, instance);
    return new Receipt(order, cents, instance, lease.fencingToken());
  }

  private void guard(long account, Lease lease) {
    boolean latest =
        Boolean.TRUE.equals(
            jdbc.execute(
                (Connection connection) ->
                    FencedWrites.raise(
                        connection, "account", "id", account, "token", lease.fencingToken())));
    if (!latest) {
      throw new IllegalStateException("a later holder has written to account " + account);
    }
  }

  /** What the one who pays gets, at each repetition the same. */
  public record Receipt(long order, long cents, String paidBy, long token) {}
}
