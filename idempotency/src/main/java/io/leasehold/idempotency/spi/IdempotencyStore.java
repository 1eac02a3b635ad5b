package io.leasehold.idempotency.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Keeps claims and marks. Each verb is one atomic step, decided by the store's clock, and blocks
 * its caller for at most {@code within}. Thread-safe.
 *
 * <p>A <em>claim</em> says that a key's work is being done, and then what came of it. It has an
 * owner, whose id is used once, and a token, which rises with each claim of the key. A claim that
 * is neither finished nor extended in time has lapsed: its work may have been done, or not. A
 * <em>mark</em> says that a key was seen, and how often.
 *
 * <p>Every verb throws {@link io.leasehold.StoreException} if the store did not answer: {@code
 * UNKNOWN_OUTCOME} if the request may have taken effect. Each can be repeated then, with the same
 * arguments, and answers as the first did; but {@link #mark}, which finds the mark of the first,
 * and {@link #increment}, which counts again.
 */
public interface IdempotencyStore extends AutoCloseable {
  /** A duration that is for ever: a hundred years. */
  Duration FOREVER = Duration.ofDays(36_525);

  /** The longest key, in code points. NUL and unpaired surrogates are not allowed in it. */
  int MAX_KEY = 255;

  /** The longest result of a claim, in bytes. */
  int MAX_RESULT = 8 << 20;

  /**
   * Asks for a claim, or for what is known of the key. Changes nothing unless the answer is {@link
   * ClaimAnswer.Claimed}.
   */
  ClaimAnswer claim(ClaimRequest request, Duration within);

  /**
   * Extends a claim that has not lapsed: from now on it lives for {@code life}. With a life of zero
   * it lapses now.
   *
   * @param keep for how long it is kept after that, lapsed
   * @return false if it is finished, has lapsed, is another's, or gone
   */
  boolean extend(ClaimId claim, Duration life, Duration keep, Duration within);

  /**
   * Finishes a claim, also one that has lapsed, as long as no other took it over: compares owner
   * and token, and sets the outcome, in one step.
   *
   * @param keep for how long the outcome is kept, from now
   * @return whether it is finished by this claim, now or before; false if the claim is another's,
   *     or gone
   */
  boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within);

  /**
   * Gives a claim back that is not finished: the key is as if it had never been claimed.
   *
   * @param evenTakenOver whether also a claim that was taken over; without, such a one stays, and
   *     lapses
   * @return whether there was such a claim
   */
  boolean release(String key, String owner, boolean evenTakenOver, Duration within);

  /** Forgets a key, whatever is known of it: a claim that is live becomes stale. */
  boolean forget(String key, Duration within);

  /**
   * Marks a key.
   *
   * @param keep for how long
   * @return whether it was not marked before; if it was, the mark stays as it is
   */
  boolean mark(String key, Duration keep, Duration within);

  /**
   * Counts a key: 1 for one that is not marked, which is then marked.
   *
   * @param keep for how long, if it was not marked
   */
  long increment(String key, Duration keep, Duration within);

  /** Takes a mark away; whether there was one. */
  boolean unmark(String key, Duration within);

  /** Those of the keys that are marked. */
  Set<String> marked(List<String> keys, Duration within);

  /**
   * Deletes what need not be kept any more. A store whose entries end by themselves does nothing.
   *
   * @param most how many claims, and how many marks, at most
   * @return how many of both
   */
  int purge(int most, Duration within);

  /** Ends connections and threads. Idempotent. */
  @Override
  void close();
}
