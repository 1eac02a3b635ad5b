package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Recognizes duplicates, such as the ids of messages, within a window. The check marks the key, so
 * work that fails after it does not run again. {@link TransactionalDedup} closes this gap for work
 * in a database, and {@link IdempotentOperation} for any work. Immutable and thread-safe.
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
   * Recognizes the duplicates of one scope, on a store.
   *
   * @param scope the name of the set of keys, as the name of a topic; equal keys of two scopes are
   *     different
   * @param window how long the store remembers a key, up to {@link IdempotencyStore#FOREVER}
   */
  public static Dedup on(IdempotencyStore store, String scope, Duration window) {
    return new Dedup(store, scope, Idempotency.Builder.requireKeep(window));
  }

  /**
   * Whether the key is new within the window. Returns true to exactly one of any number of
   * concurrent callers. One request.
   *
   * @throws io.leasehold.StoreException if the store does not answer; after an unknown outcome the
   *     key may be marked
   */
  public boolean firstTime(String key) {
    return store.mark(scoped(key), window, within);
  }

  /**
   * Marks the new ones of these keys, and returns them in their order, each once. One request for
   * each 500 keys, and one for each new key.
   *
   * @throws io.leasehold.StoreException if the store does not answer; some keys may be marked
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

  /** Forgets a key, so that it is new again. Returns whether the key was known. */
  public boolean forget(String key) {
    return store.unmark(scoped(key), within);
  }

  private String scoped(String key) {
    return Key.of(scope, key).scoped("dedup", false);
  }
}
