package io.leasehold.benchmarks.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.runner.Journal.Grant;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the figures mean, on grants made by hand. */
class GrantsTest {
  private static final long MILLI = 1_000_000;

  @TempDir private Path dir;

  private static Grant grant(int thread, long arrived, long granted) {
    return new Grant(arrived * MILLI, granted * MILLI, (granted + 1) * MILLI, thread);
  }

  private static Grants grants(Grant... grants) {
    return new Grants(List.of(List.of(grants)), 2, 1, 0, 1000 * MILLI);
  }

  @Test
  void whoIsServedTwiceWhileAnotherWaitsWasLetPast() {
    Grants inTurn = grants(grant(0, 0, 1), grant(1, 0, 3), grant(0, 2, 5), grant(1, 4, 7));
    assertThat(inTurn.inOrder()).isEqualTo(1);
    assertThat(inTurn.evenness()).isEqualTo(1);
    Grants past = grants(grant(0, 0, 1), grant(0, 2, 3), grant(0, 4, 5), grant(1, 0, 7));
    assertThat(past.inOrder()).isEqualTo(0.75);
    assertThat(past.evenness()).isEqualTo(1 / 3.0);
  }

  @Test
  void aHandOverIsFromTheReleaseToTheGrantOfOneWhoHadWaited() {
    Grants over = grants(grant(0, 0, 1), grant(1, 0, 7), grant(0, 8, 9), grant(0, 10, 11));
    assertThat(over.handOverMillis(0.5)).isEqualTo(5);
    assertThat(over.waitMillis(0.99)).isEqualTo(7);
    assertThat(over.perSecond()).isEqualTo(4);
    assertThat(over.pairMicros(0.5)).isEqualTo(2000);
    assertThat(grants().handOverMillis(0.5)).isNaN();
  }

  @Test
  void theJournalSeesTwoInside() {
    Journal one = Journal.map(dir.resolve("journal"), 1, 10);
    Journal other = Journal.map(dir.resolve("journal"), 1, 10);
    assertThat(one.enter(0, 0, 1, 2)).isTrue();
    assertThat(other.enter(0, 1, 1, 3)).isFalse();
    assertThat(one.leave(0, 0, 4)).isFalse();
    assertThat(one.enter(0, 0, 5, 6)).isTrue();
    assertThat(other.count(0)).isEqualTo(3);
    assertThat(one.leave(0, 0, 7)).isTrue();
    assertThat(other.grants(0).get(2)).isEqualTo(new Grant(5, 6, 7, 0));
  }
}
