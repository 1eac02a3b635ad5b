package io.leasehold.examples.orders;

import io.leasehold.spring.IdempotencyTables;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A service of which several instances run: money in PostgreSQL, locks in Redis. */
@SpringBootApplication
@EnableScheduling
public class OrderService {
  /** Starts one instance. */
  public static void main(String[] arguments) {
    SpringApplication.run(OrderService.class, arguments);
  }

  /** What @Idempotent keeps is committed together with the money. */
  @Bean
  IdempotencyTables results(DataSource dataSource) {
    return IdempotencyTables.in(dataSource);
  }
}
