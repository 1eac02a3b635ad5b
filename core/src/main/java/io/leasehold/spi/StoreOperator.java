package io.leasehold.spi;

import io.leasehold.LockSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The requests of an operator: list, break. They fail as the verbs of {@link LockStore} do. */
public interface StoreOperator {
  /**
   * Lists the names that have a holder or a waiter, ordered by name. The fencing tokens are fence
   * numbers shifted left by {@link FenceNumber#SHIFT}.
   *
   * @param name only this name; empty for all
   */
  CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within);

  /**
   * Removes the lease with this fence number, and no other. The next grant has a higher number.
   *
   * @return true if such a lease was current and is removed
   */
  CompletionStage<Boolean> breakLease(String name, long number, Duration within);
}
