package io.leasehold.sessions;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The entries of all clients, for operators. Thread-safe. */
public interface EntryList {
  /**
   * Lists the entries of one name, or of all, with all {@linkplain Entry.Details details}, those of
   * one name in their order.
   */
  CompletionStage<List<Entry>> list(Optional<String> name, Duration within);

  /**
   * Removes an entry of any session, and no other.
   *
   * @return whether it was there
   */
  CompletionStage<Boolean> remove(Entry entry, Duration within);
}
