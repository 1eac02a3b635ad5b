package io.leasehold.spring.tests;

import io.leasehold.Lease;
import io.leasehold.idempotency.WhileRunning;
import io.leasehold.spring.Idempotent;
import io.leasehold.spring.Locked;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Work whose updates are lost unless one thread at a time does it, and commits before the next. */
public class Bank {
  private final JdbcTemplate jdbc;
  private final AtomicInteger inside = new AtomicInteger();

  /** A bank in this database. */
  public Bank(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /** Reads, adds one, and writes, in one transaction. */
  @Locked(value = "account:#{#id}", maxWait = "2m")
  @Transactional
  public void add(int id, Lease lease) {
    if (inside.incrementAndGet() != 1 || !lease.isHeld()) {
      throw new AssertionError("two at a time, or without the lease");
    }
    jdbc.update("update account set balance = ? where id = ?", balance(id) + 1, id);
    inside.decrementAndGet();
  }

  /** Sets the balance. A caller may have a transaction. */
  @Locked(value = "account:#{#id}", maxWait = "0", ttl = "1s")
  public Lease set(int id, int balance, Lease lease) {
    jdbc.update("update account set balance = ? where id = ?", balance, id);
    return lease;
  }

  /** Reads the balance under the lock, if that is free. */
  @Locked(value = "account:#{#id}", maxWait = "0")
  public int read(int id) {
    return balance(id);
  }

  /** Adds one, once for each key. */
  @Idempotent(
      value = "#{#key}",
      operation = "pay",
      whileRunning = WhileRunning.Way.WAIT,
      maxWait = "2m")
  @Transactional
  public String pay(String key, int id) {
    jdbc.update("update account set balance = balance + 1 where id = ?", id);
    return "paid " + balance(id);
  }

  /** Reads the balance without the lock. */
  public int balance(int id) {
    return jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
  }
}
