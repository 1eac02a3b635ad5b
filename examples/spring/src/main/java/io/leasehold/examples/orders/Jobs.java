package io.leasehold.examples.orders;

import io.leasehold.spring.Locked;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** What every instance would do, and one at a time does. */
@Component
public class Jobs {
  private final JdbcTemplate jdbc;
  private final String instance;

  Jobs(JdbcTemplate jdbc, @Value("${server.port}") String instance) {
    this.jdbc = jdbc;
    this.instance = instance;
  }

  /** Every second, on one of the instances: minHold keeps the others out until the next one. */
  @Scheduled(cron = "* * * * * *")
  @Locked(value = "report", minHold = "900ms")
  public void report() {
    jdbc.update(
        "insert into report (made_by, unshipped)"
            + " select ?, count(*) from orders where shipped_by is null",
        instance);
  }

  /** Ships what is paid. If the instance dies, another one goes on when the lease has ended. */
  @Scheduled(fixedDelay = 200)
  @Locked("shipping")
  public void ship() {
    for (Long order :
        jdbc.queryForList(
            "select id from orders where shipped_by is null order by id", Long.class)) {
      jdbc.execute("select pg_sleep(0.3)"); // to pack it takes a while
      jdbc.update(
          "update orders set shipped_by = ? where id = ? and shipped_by is null", instance, order);
    }
  }
}
