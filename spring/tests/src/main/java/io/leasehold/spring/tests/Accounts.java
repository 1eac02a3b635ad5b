package io.leasehold.spring.tests;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.spring.LockClientCustomizer;
import io.leasehold.spring.Locked;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/** The code of docs/spring.md. */
class Accounts {
  @Locked("account:#{#id}")
  @Transactional
  public void close(long id, Lease lease) {
    ledger("close", id, lease.fencingToken());
  }

  @Scheduled(cron = "0 0 3 * * *")
  @Locked(value = "nightly-report", minHold = "5m", maxHold = "2h")
  public void report() {
    ledger("report");
  }

  @Locked(
      value = {"account:#{#from}", "account:#{#to}"},
      maxWait = "${transfer.wait:2s}")
  public void transfer(long from, long to, long cents) {
    ledger("transfer", from, to, cents);
  }

  @Locked(value = "exports", permits = "5", maxWait = "0", fallback = "queued")
  public String export(String customer) {
    return "exported " + customer;
  }

  private String queued(String customer) {
    return "queued " + customer;
  }

  @Locked(value = "prices", mode = LockMode.SHARED)
  public long price(String article) {
    return article.length();
  }

  @Bean
  LockClientCustomizer traceIds() {
    return builder -> builder.traceId(() -> org.slf4j.MDC.get("traceId"));
  }

  private static void ledger(String entry, long... values) {
    if (entry.isEmpty() || values.length > 3) {
      throw new IllegalArgumentException("no entry");
    }
  }
}
