package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Attempt;
import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same where members forget no number, and a grant needs a majority of one number. */
class QuorumHedgeWithTokensTest extends QuorumHedgeTest {
  /** More than the clock says. */
  private static final long HIGH = 1_900_000_000_000_000L;

  @Override
  Set<Feature> features() {
    return Set.of(Feature.QUEUE, Feature.FENCING, Feature.SURVIVES_RESTART);
  }

  /** As without tokens, where the number is written back first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsRaisedAndReleasedAtOnceIsNotWithdrawnWhereItsGrantCounted(boolean askedLate) {
    raiseTo(HIGH);
    int other = askedLate ? 1 : 2;
    members.get(0).delay = 0;
    members.get(askedLate ? 2 : 1).delay = 0;
    members.get(other).isSilent = askedLate;
    Ticket stranger = occupy(other);
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> granted = attempt(ticket);
    CompletableFuture<Release> released = granted.thenCompose(unused -> release(ticket));
    pass(3 * MILLI);
    assertThat(granted)
        .isCompletedWithValueMatching(answer -> ((Attempt.Granted) answer).number() > HIGH);
    assertThat(released).isCompletedWithValue(Release.RELEASED);
    assertThat(members.get(0).releases).isEqualTo(1);
    assertThat(members.get(0).withdrawals).isZero();
    free(other, stranger);
  }

  /** Another client has brought the first member to this number. */
  private void raiseTo(long number) {
    Ticket raising = ticket("another", Intent.TRY).withLeastNumber(number);
    members.get(0).direct.attempt(raising, WITHIN);
    members.get(0).direct.release(raising, WITHIN);
  }
}
