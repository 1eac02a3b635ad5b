package io.leasehold.spring.tests;

import java.util.List;
import org.springframework.boot.SpringBootVersion;

/** The line of Spring Boot that a test runs on, and where it has its auto-configurations. */
record Line(List<String> jdbc, List<String> redis, List<String> metrics, List<String> json) {
  private static final Line BOOT_3 =
      new Line(
          List.of(
              "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
              "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
              "org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration",
              "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"),
          List.of("org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"),
          List.of(
              "org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration",
              "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"),
          List.of("org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration"));
  private static final Line BOOT_4 =
      new Line(
          List.of(
              "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
              "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
              "org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration",
              "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"),
          List.of("org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"),
          List.of(
              "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
              "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"),
          List.of("org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"));

  static Line here() {
    return SpringBootVersion.getVersion().startsWith("3.") ? BOOT_3 : BOOT_4;
  }
}
