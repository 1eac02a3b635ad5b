package io.leasehold.spring.tests;

import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.WhileRunning;
import io.leasehold.spring.IdempotencyFilterCustomizer;
import io.leasehold.spring.IdempotencyTables;
import io.leasehold.spring.Idempotent;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/** The code of docs/spring.md about work that is done once. */
class Payments {
  @Idempotent(value = "#{#orderId}", operation = "pay")
  @Transactional
  public String pay(long orderId, long cents) {
    return "receipt of order " + orderId + " over " + cents;
  }

  @Idempotent(
      value = "#{#key}",
      operation = "charge",
      principal = "#{#customer}",
      fingerprint = "#{#cents}",
      keep = "7d",
      whileRunning = WhileRunning.Way.WAIT,
      afterException = AfterException.UNKNOWN)
  public String charge(String customer, String key, long cents, Claim claim) {
    return "charged " + customer + " " + cents + " by " + claim.token();
  }

  @Bean
  IdempotencyTables results(DataSource dataSource) {
    return IdempotencyTables.in(dataSource);
  }

  @Bean
  IdempotencyFilterCustomizer keysAreSecrets() {
    return filter -> filter.principal(request -> "");
  }
}
