package io.leasehold.sessions;

import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A session of this client with the store: its entries live as long as it does. The methods return
 * at once and answer later; they fail as {@link io.leasehold.spi.LockStore} says, and the store
 * never repeats a request by itself. A {@code within} is the time after which the caller does not
 * wait any more. Thread-safe.
 */
public interface Session {
  /**
   * Makes the entry of this ticket unless it is there, and lists the entries of the name after
   * that, in one round trip. A ticket whose entry was taken back is never entered again.
   */
  CompletionStage<Entered> enter(Ticket ticket, Duration within);

  /**
   * The answer to {@link #enter}.
   *
   * @param own the ticket's entry, with its number
   * @param all the entries of the name in their order; {@code own} is among them
   */
  record Entered(Entry own, List<Entry> all) {}

  /**
   * Removes an entry of this session, and no other. No earlier request may make it again: else see
   * {@link #takeBack}.
   *
   * @return whether it was there
   */
  CompletionStage<Boolean> leave(Entry own, Duration within);

  /**
   * Removes the entry of a ticket, if it is there, while an {@link #enter} may still take effect.
   * Once this has answered, no earlier request makes an entry.
   *
   * @return whether it was there
   */
  CompletionStage<Boolean> takeBack(Ticket ticket, Duration within);

  /** Lists the entries of these names, those of one name in their order. */
  CompletionStage<List<Entry>> read(List<String> names, Duration within);

  /** Hears of the first change of an entry. It must not block. */
  interface Watcher {
    /**
     * The entry was {@linkplain Session#touch touched} or is gone, or may be.
     *
     * @param isGone whether it is certainly gone
     */
    void changed(boolean isGone);
  }

  /**
   * Looks at an entry, and watches it: the watcher runs once, soon after the entry changed, or may
   * have.
   *
   * @param watcher null to watch nothing
   * @return the details of the entry; empty if it is gone, and then nothing is watched
   */
  CompletionStage<Optional<Entry.Details>> look(
      Entry other, @Nullable Watcher watcher, Duration within);

  /** Changes an entry of this session, so that its watchers run. */
  CompletionStage<Void> touch(Entry own, Duration within);

  /** Prolongs the session. */
  CompletionStage<Void> beat(Duration within);

  /** How long the store certainly keeps the session. */
  SessionLife life();

  /** Ends the session with all its entries; completes when the store has answered. */
  CompletionStage<?> end();
}
