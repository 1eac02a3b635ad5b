package io.leasehold.testkit.juc;

/**
 * Who else wants the lock. Both must see the same: a lock held by another client behaves as one
 * held by another thread.
 */
enum Rival {
  /** Another thread of the same client. */
  SAME_CLIENT,
  /** A thread of another client, as of another process. */
  OTHER_CLIENT
}
