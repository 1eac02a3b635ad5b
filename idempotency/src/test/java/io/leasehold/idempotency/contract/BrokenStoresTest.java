package io.leasehold.idempotency.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasehold.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each broken store fails its own rule, and no other. */
class BrokenStoresTest {
  @ParameterizedTest
  @EnumSource
  void isRejectedByItsOwnRule(BrokenStores broken) {
    try (IdempotencyStore store = broken.make()) {
      Set<StoreRule> failed =
          Arrays.stream(StoreRule.values())
              .filter(rule -> rule == broken.breaks() || !SLOW.contains(rule))
              .filter(rule -> fails(rule, store, rule == broken.breaks()))
              .collect(Collectors.toSet());
      assertThat(failed).containsExactly(broken.breaks());
    }
  }

  private static boolean fails(StoreRule rule, IdempotencyStore store, boolean isExpected) {
    Duration patience = isExpected ? Duration.ofSeconds(1) : Bed.WITHIN;
    return catchThrowable(() -> rule.check(store, patience)) != null;
  }

  @Test
  void everyRuleHasABrokenStore() {
    assertThat(Arrays.stream(BrokenStores.values()).map(BrokenStores::breaks))
        .containsExactlyInAnyOrder(StoreRule.values());
  }

  /** What moves megabytes: a broken store has them for its own rule. */
  private static final Set<StoreRule> SLOW = Set.of(StoreRule.I17);
}
