package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * H2's sessions have the time zones of their clients: leases end by one clock all the same. Two
 * offsets are also what one zone has before and after the clocks are changed.
 */
class H2ClockTest extends ServerTest {
  private String url(String offset) {
    return "jdbc:h2:mem:" + tables() + ";DB_CLOSE_DELAY=-1;INIT=SET TIME ZONE '" + offset + "'";
  }

  private Engine clientIn(String offset) {
    return clientAt(url(offset), how -> how);
  }

  @ParameterizedTest
  @ValueSource(strings = {"+14:00", "+01:00", "-01:00", "-12:00"})
  void aLeaseIsHeldInEveryTimeZone(String offset) throws Exception {
    Engine here = clientIn("+00:00");
    Engine there = clientIn(offset);
    Lease held = here.lock("a").acquire();
    assertThat(there.lock("a").tryAcquire()).isEmpty();
    held.release();
    Lease next = there.lock("a").acquire();
    assertThat(here.lock("a").tryAcquire()).isEmpty();
    next.release();
  }

  @ParameterizedTest
  @ValueSource(strings = {"+14:00", "+01:00", "-01:00", "-12:00"})
  void anAbandonedLeaseEndsInEveryTimeZone(String offset) throws Exception {
    Engine there = clientIn(offset);
    LockStore here = closed(hooked(url("+00:00"), StatementHook.NONE).open(NOBODY));
    Fixture.granted(here, Fixture.ticket("a", Ticket.Intent.TRY, Duration.ofMillis(200)));
    Lease next = there.lock("a").tryAcquire(Duration.ofSeconds(10)).orElseThrow();
    next.release();
  }
}
