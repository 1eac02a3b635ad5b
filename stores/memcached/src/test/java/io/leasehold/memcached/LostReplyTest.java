package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseTooShortException;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The connection is cut at each request, before the server has it or after it has answered. */
class LostReplyTest extends ServerTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final FaultProxy proxy =
      FaultProxy.to("127.0.0.1", server.process().port(), TextProtocol.FRAMING);

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  /** What a client does. */
  private interface Act {
    void by(Engine client, Engine other, String name) throws Exception;
  }

  @Test
  void r9AnyRequestOfAPairMayBeLost() throws Exception {
    int points = loseEach((client, other, name) -> client.lock(name).acquire(PATIENCE).release());
    assertThat(points).isGreaterThanOrEqualTo(6);
  }

  @Test
  void r9AnyRequestOfATryMayBeLost() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease held = other.lock(name).acquire(PATIENCE)) {
                assertThat(client.lock(name).tryAcquire()).isEmpty();
                assertThat(held.isHeld()).isTrue();
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(4);
  }

  @Test
  void r9AnyRequestOfARenewalMayBeLost() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease held = client.lock(name).acquire(PATIENCE)) {
                held.ensureHeld(held.remaining().plusNanos(1));
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(8);
  }

  /** Yields how many requests were lost. */
  private int loseEach(Act act) throws Exception {
    Engine other = client();
    int points = 0;
    for (ObjIntConsumer<FaultProxy> cut :
        List.<ObjIntConsumer<FaultProxy>>of(FaultProxy::cutBefore, FaultProxy::cutAfter)) {
      boolean hasBegun = true;
      for (int index = 0; hasBegun; index++) {
        String name = "lock " + index;
        Engine client = client("memcached://127.0.0.1:" + proxy.port(), how -> how);
        int lost = proxy.requests() + index;
        cut.accept(proxy, lost);
        try {
          act.by(client, other, name);
        } catch (StoreException told) {
          assertThat(told.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
        } catch (LeaseTooShortException told) {
          // Its renewal was lost
        }
        hasBegun = proxy.requests() > lost;
        proxy.heal();
        other.lock(name).tryAcquire(SOON).orElseThrow().release();
        points += hasBegun ? 1 : 0;
        client.close();
        assertThat(value(name)).containsExactly("END");
      }
    }
    return points;
  }
}
