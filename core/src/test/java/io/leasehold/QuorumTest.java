package io.leasehold;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.StoreFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is no quorum is refused, in one sentence, before anything is opened. */
class QuorumTest {
  private static StoreFactory store() {
    return new StoreFactory() {
      @Override
      public io.leasehold.spi.LockStore open(io.leasehold.spi.StoreListener listener) {
        throw new AssertionError("it must not be opened");
      }
    };
  }

  @Test
  void anEvenNumberIsRefused() {
    assertThatThrownBy(() -> Quorum.of(store(), store(), store(), store()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("odd number of members, 3 at least")
        .hasMessageContaining("here are 4");
    assertThatThrownBy(() -> Quorum.of(store()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("here are 1");
  }

  @Test
  void theSameTwiceIsRefused() {
    StoreFactory same = store();
    assertThatThrownBy(() -> Quorum.of(same, store(), same))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("member 1 of the quorum is there twice");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "quorum:redis://a,redis://b,redis://c | add the module io.leasehold:leasehold-redis",
        "quorum:redis://a?prefix=x,redis://b?prefix=y,redis://c | the parameters of a quorum stand once",
        "quorum:a,b,c | begins with a scheme"
      })
  void aUrlIsRefusedWithTheReason(String url, String why) {
    assertThatThrownBy(() -> Leasehold.builder(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
