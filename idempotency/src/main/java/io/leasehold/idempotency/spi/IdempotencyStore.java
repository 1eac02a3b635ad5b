package io.leasehold.idempotency.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Keeps claims and marks. Each verb is one atomic step, decided by the store's clock, and blocks
 * its caller for at most {@code within}. Thread-safe.
 *
 * <p>A <em>claim</em> says that the work of a key is running, and later holds its outcome. It has
 * an owner, whose id is used once, and a token, which rises with each claim of the key. A claim
 * that is neither finished nor extended in time has lapsed: its work may have been done, or not. A
 * <em>mark</em> says that a key was seen, and how often.
 *
 * <p>Every verb throws {@link io.leasehold.StoreException} if the store did not answer: {@code
 * UNKNOWN_OUTCOME} if the request may have taken effect. The caller may then repeat the verb with
 * the same arguments and gets the same answer, except from {@link #mark}, which finds the first
 * mark, and {@link #increment}, which counts again.
 */
public interface IdempotencyStore extends AutoCloseable {
  /** The longest duration, which means without end: a hundred years. */
  Duration FOREVER = Duration.ofDays(36_525);

  /** The longest key, in code points. A key has no NUL and no unpaired surrogates. */
  int MAX_KEY = 255;

  /** The longest result of a claim, in bytes. */
  int MAX_RESULT = 8 << 20;

  /**
   * Asks for a claim, or for the state of the key. Changes nothing unless the answer is {@link
   * ClaimAnswer.Claimed}.
   */
  ClaimAnswer claim(ClaimRequest request, Duration within);

  /**
   * Extends a claim that has not lapsed: it lives for {@code life} from now. With a life of zero it
   * lapses now.
   *
   * @param keep how long the store keeps the claim after it has lapsed
   * @return false if the claim is finished, has lapsed, has another owner, or is gone
   */
  boolean extend(ClaimId claim, Duration life, Duration keep, Duration within);

  /**
   * Finishes a claim, even a lapsed one, unless another caller has taken it over: compares owner
   * and token, and sets the outcome, in one step.
   *
   * @param keep how long the store keeps the outcome, from now
   * @return true if this claim is finished, now or before; false if it has another owner, or is
   *     gone
   */
  boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within);

  /**
   * Releases a claim that is not finished: the key is as if it had never been claimed.
   *
   * @param evenTakenOver whether to release also a claim that took over a lapsed one; if false,
   *     such a claim stays, and lapses
   * @return whether there was such a claim
   */
  boolean release(String key, String owner, boolean evenTakenOver, Duration within);

  /** Forgets a key in any state: a live claim becomes stale. */
  boolean forget(String key, Duration within);

  /**
   * Marks a key.
   *
   * @param keep how long the store keeps the mark
   * @return true if the key was not marked before; otherwise the old mark stays as it is
   */
  boolean mark(String key, Duration keep, Duration within);

  /**
   * Increments the count of a key and returns it: 1 for a key without a mark, which gets one.
   *
   * @param keep how long the store keeps a new mark
   */
  long increment(String key, Duration keep, Duration within);

  /** Removes the mark of a key, and returns whether there was one. */
  boolean unmark(String key, Duration within);

  /** Returns the marked ones of these keys. */
  Set<String> marked(List<String> keys, Duration within);

  /**
   * Deletes expired claims and marks. A store whose entries expire without it does nothing.
   *
   * @param most the largest number of claims, and of marks, to delete
   * @return the number of deleted claims and marks
   */
  int purge(int most, Duration within);

  /** Ends the connections and threads of the store. Idempotent. */
  @Override
  void close();
}
