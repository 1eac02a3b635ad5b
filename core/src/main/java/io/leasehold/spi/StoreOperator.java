package io.leasehold.spi;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What an operator asks of a store, beside the locks. Fails as the verbs of {@link LockStore} do.
 */
public interface StoreOperator {
  /**
   * The names that are held or waited for, ordered by name. Fencing tokens are fence numbers
   * shifted left by {@link FenceNumber#SHIFT}.
   *
   * @param name only this name; empty for all
   */
  CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within);

  /**
   * Removes the lease with this fence number, and only that. The next grant has a higher number.
   *
   * @return whether it was the current one
   */
  CompletionStage<Boolean> breakLease(String name, long number, Duration within);

  /**
   * Looks for what could break this store's promises, beside what the engine finds out itself (that
   * it answers, and how fast). An empty list if there is nothing to look at.
   */
  CompletionStage<List<Finding>> diagnose(Duration within);
}
