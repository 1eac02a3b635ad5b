package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells whether something was seen before: the ids of messages, within a window. A mark is made
 * when it is asked for, so work that fails after that is not done again; where the work is in a
 * database {@link TransactionalDedup} has no such gap, and {@link IdempotentOperation} none
 * anywhere. Immutable and thread-safe.
 */
public final class Dedup {
  private final IdempotencyStore store;
  private final String scope;
  private final Duration window;
  private final Duration within = Duration.ofSeconds(5);

  private Dedup(IdempotencyStore store, String scope, Duration window) {
    this.store = store;
    this.scope = scope;
    this.window = window;
  }

  /**
   * On a store.
   *
   * @param scope what the keys are of, as the name of a topic; others do not meet them
   * @param window how long a key is remembered, up to {@link IdempotencyStore#FOREVER}
   */
  public static Dedup on(IdempotencyStore store, String scope, Duration window) {
    return new Dedup(store, scope, Idempotency.Builder.requireKeep(window));
  }

  /**
   * Whether a key is seen for the first time within the window; of any number of concurrent callers
   * one is told so. One request.
   *
   * @throws io.leasehold.StoreException if the store does not answer; with an unknown outcome the
   *     key may be marked
   */
  public boolean firstTime(String key) {
    return store.mark(scoped(key), window, within);
  }

  /**
   * Marks those of the keys that are new, and returns them in their order, each once. One request
   * for each 500 keys, and one for each new one.
   *
   * @throws io.leasehold.StoreException if the store does not answer; some may be marked
   */
  public List<String> filterNew(Collection<String> keys) {
    Set<String> different = new LinkedHashSet<>(keys);
    List<String> scoped = different.stream().map(this::scoped).toList();
    Set<String> marked = store.marked(scoped, within);
    List<String> fresh = new ArrayList<>();
    for (String key : different) {
      if (!marked.contains(scoped(key)) && firstTime(key)) {
        fresh.add(key);
      }
    }
    return fresh;
  }

  /** Forgets a key: it will be new again. Whether it was known. */
  public boolean forget(String key) {
    return store.unmark(scoped(key), within);
  }

  private String scoped(String key) {
    return Key.of(scope, key).scoped("dedup", false);
  }
}
