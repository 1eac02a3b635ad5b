package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long ids are remembered. */
class EndedIdsTest {
  private final AtomicLong now = new AtomicLong();

  private final EndedIds ended =
      new EndedIds(
          new Clock() {
            @Override
            public long nanos() {
              return now.get();
            }

            @Override
            public long wallMillis() {
              return now.get() / 1_000_000;
            }
          });

  private static LeaseId id(long n) {
    return new LeaseId(1, n);
  }

  @Test
  void anIdIsRememberedForAMinuteAndForgottenAfterIt() {
    ended.add(id(1));
    now.addAndGet(Duration.ofSeconds(30).toNanos());
    ended.add(id(2));
    assertThat(ended.contains(id(1))).isTrue();

    now.addAndGet(Duration.ofSeconds(31).toNanos());
    ended.add(id(3));

    assertThat(ended.contains(id(1))).isFalse();
    assertThat(ended.contains(id(2))).isTrue();
    assertThat(ended.contains(id(3))).isTrue();
    assertThat(ended.size()).isEqualTo(2);
  }

  @Test
  void anIdThatIsAddedAgainIsForgottenAsAtFirst() {
    ended.add(id(1));
    now.addAndGet(Duration.ofSeconds(50).toNanos());
    ended.add(id(1));
    assertThat(ended.size()).isEqualTo(1);

    now.addAndGet(Duration.ofSeconds(20).toNanos());
    ended.add(id(2));

    assertThat(ended.size()).isEqualTo(1);
  }
}
