package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes between the statements of a renewal. */
class RenewalTest extends ServerTest {
  @ParameterizedTest
  @EnumSource
  void aSharedLeaseThatIsReleasedMeanwhileStaysReleased(Kind kind) {
    LockStore other = store(SharedServers.of(kind));
    Ticket reader = Fixture.shared(Fixture.tryOnce("a"));
    List<Release> released = new ArrayList<>();
    StatementHook hook =
        new StatementHook() {
          @Override
          public void before(String sql) {
            if (sql.startsWith("UPDATE {share} SET expires = {now} + :life")) {
              released.add(Fixture.release(other, reader));
            }
          }

          @Override
          public void after(String sql) {}
        };
    LockStore store = closed(hooked(SharedServers.of(kind).jdbcUrl(), hook).open(NOBODY));
    Fixture.granted(store, reader);

    Fixture.renew(store, reader);

    assertThat(released).containsExactly(Release.RELEASED);
    Fixture.granted(other, Fixture.tryOnce("a"));
  }
}
