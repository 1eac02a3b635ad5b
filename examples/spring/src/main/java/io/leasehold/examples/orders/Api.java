package io.leasehold.examples.orders;

import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What a browser or curl sees. */
@RestController
public class Api {
  private final Orders orders;
  private final JdbcTemplate jdbc;

  Api(Orders orders, JdbcTemplate jdbc) {
    this.orders = orders;
    this.jdbc = jdbc;
  }

  @PostMapping("/orders/{order}/payment")
  Orders.Receipt pay(
      @PathVariable long order, @RequestParam long account, @RequestParam long cents) {
    return orders.pay(order, account, cents, null); // the lease is put in by @Locked
  }

  @GetMapping("/orders")
  List<Map<String, Object>> orders() {
    return jdbc.queryForList("select id, cents, paid_by, shipped_by from orders order by id");
  }

  @GetMapping("/accounts/{account}")
  Map<String, Object> account(@PathVariable long account) {
    return jdbc.queryForMap("select cents, token from account where id = ?", account);
  }

  @GetMapping("/reports")
  List<Map<String, Object>> reports() {
    return jdbc.queryForList("select made_by, unshipped from report order by id desc limit 10");
  }
}
