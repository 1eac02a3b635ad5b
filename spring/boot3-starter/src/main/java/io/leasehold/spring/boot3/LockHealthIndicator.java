package io.leasehold.spring.boot3;

import io.leasehold.spring.autoconfigure.LockHealth;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** Shows a {@link LockHealth}. */
final class LockHealthIndicator extends AbstractHealthIndicator {
  private final LockHealth health;

  LockHealthIndicator(LockHealth health) {
    super("the locks could not be checked");
    this.health = health;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    LockHealth.Report report = health.check();
    builder.status(report.status()).withDetails(report.details());
  }
}
