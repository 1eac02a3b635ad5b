package io.leasehold.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseId;
import org.junit.jupiter.api.Test;

/** Which acquisitions have the same key, one after another. */
class KeyIdsTest {
  private static final LeaseId ONE = new LeaseId(1, 1);
  private static final LeaseId TWO = new LeaseId(1, 2);
  private static final LeaseId THREE = new LeaseId(1, 3);

  private final KeyIds ids = new KeyIds(7);

  @Test
  void twoAtATimeHaveDifferentOnes() {
    assertThat(ids.enters(ONE)).isNotEqualTo(ids.enters(TWO));
  }

  @Test
  void theNextHasThatOfTheOneThatLeft() {
    LeaseId first = ids.enters(ONE);
    ids.left(ONE);
    assertThat(ids.enters(TWO)).isEqualTo(first);
    assertThat(ids.enters(THREE)).isNotEqualTo(first);
  }

  @Test
  void anAcquisitionKeepsItsOwnUntilItLeaves() {
    LeaseId first = ids.enters(ONE);
    assertThat(ids.enters(ONE)).isEqualTo(first);
    assertThat(ids.takes(ONE)).isEqualTo(first);
    ids.failed(ONE);
    // The other request may have made the entry
    assertThat(ids.enters(TWO)).isNotEqualTo(first);
    ids.left(ONE);
    assertThat(ids.enters(THREE)).isEqualTo(first);
  }

  @Test
  void oneThatWasNeverMadeIsFree() {
    LeaseId first = ids.enters(ONE);
    ids.enters(ONE);
    ids.failed(ONE);
    ids.failed(ONE);
    assertThat(ids.enters(TWO)).isEqualTo(first);
  }

  /** A request that removes it may come late, and would remove that of the next. */
  @Test
  void oneThatWasTakenBackIsNeverUsedAgain() {
    LeaseId first = ids.enters(ONE);
    assertThat(ids.takes(ONE)).isEqualTo(first);
    ids.takenBack(ONE);
    ids.failed(ONE);
    ids.left(ONE);
    assertThat(ids.enters(TWO)).isNotEqualTo(first);
    assertThat(ids.enters(THREE)).isNotEqualTo(first);
  }

  /** A second removal may come when the next one is there. */
  @Test
  void oneThatWasRemovedTwiceIsNeverUsedAgain() {
    LeaseId once = ids.enters(ONE);
    LeaseId twice = ids.enters(TWO);
    assertThat(ids.meets(ONE, "x-" + once)).isTrue();
    assertThat(ids.meets(TWO, "x-" + twice)).isTrue();
    assertThat(ids.meets(TWO, "x-" + twice)).isTrue();
    ids.left(ONE);
    ids.left(TWO);
    assertThat(ids.enters(THREE)).isEqualTo(once);
    assertThat(ids.enters(new LeaseId(1, 4))).isNotEqualTo(twice);
  }

  @Test
  void oneThatHasLeftIsNotRemovedAgain() {
    String key = "x-" + ids.enters(ONE);
    ids.left(ONE);
    assertThat("x-" + ids.enters(TWO)).isEqualTo(key);
    assertThat(ids.meets(ONE, key)).isFalse();
    // It has another key by now
    ids.enters(ONE);
    assertThat(ids.meets(ONE, key)).isFalse();
    assertThat(ids.meets(TWO, key)).isTrue();
  }

  @Test
  void anotherSessionHasOthers() {
    assertThat(new KeyIds(8).enters(ONE)).isNotEqualTo(ids.enters(ONE));
  }
}
