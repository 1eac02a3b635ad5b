package io.leasehold.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a session certainly lives. */
class SessionLifeTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualClock clock = new ManualClock();

  @Test
  void countsFromTheSendOfAnAnsweredRequest() {
    SessionLife life = new SessionLife(clock, TTL, Duration.ZERO);
    clock.advance(SECOND.multipliedBy(10));
    SessionLife.Sent sent = life.now();
    clock.advance(SECOND.multipliedBy(5));

    assertThat(life.left()).isEqualTo(SECOND.multipliedBy(15));
    life.answered(sent);
    assertThat(life.left()).isEqualTo(SECOND.multipliedBy(25));
  }

  @Test
  void anAnswerThatIsLateTakesNothingBack() {
    SessionLife life = new SessionLife(clock, TTL, Duration.ZERO);
    SessionLife.Sent first = life.now();
    clock.advance(SECOND);
    SessionLife.Sent second = life.now();

    life.answered(second);
    life.answered(first);

    assertThat(life.left()).isEqualTo(TTL);
  }

  @Test
  void aRequestThatMustSettleCountsWithTheNextOne() {
    SessionLife life = new SessionLife(clock, TTL, SECOND);
    clock.advance(SECOND.multipliedBy(10));
    life.answered(life.now());
    assertThat(life.left())
        .as("the first proves the opening alone")
        .isEqualTo(SECOND.multipliedBy(20));

    clock.advance(SECOND.multipliedBy(10));
    life.answered(life.now());
    assertThat(life.left()).as("the second proves the first").isEqualTo(SECOND.multipliedBy(20));
  }

  @Test
  void aRequestThatFollowsTooSoonProvesNothing() {
    SessionLife life = new SessionLife(clock, TTL, SECOND);
    clock.advance(SECOND.multipliedBy(10));
    life.answered(life.now());
    for (int i = 0; i < 9; i++) {
      clock.advance(SECOND.dividedBy(10));
      life.answered(life.now());
    }
    assertThat(life.left()).isEqualTo(Duration.ofMillis(19_100));

    clock.advance(SECOND.dividedBy(10));
    life.answered(life.now());
    assertThat(life.left()).as("a second after the first").isEqualTo(SECOND.multipliedBy(29));
  }

  @Test
  void theTimeOfASuspendedHostCounts() {
    SessionLife life = new SessionLife(clock, TTL, Duration.ZERO);

    clock.advanceWall(SECOND.multipliedBy(29));

    assertThat(life.left()).isEqualTo(SECOND);
  }

  @Test
  void aWallClockThatIsSetBackChangesNothing() {
    SessionLife life = new SessionLife(clock, TTL, Duration.ZERO);

    clock.advanceWall(SECOND.multipliedBy(-3600));
    clock.advance(SECOND);

    assertThat(life.left()).isEqualTo(SECOND.multipliedBy(29));
  }
}
