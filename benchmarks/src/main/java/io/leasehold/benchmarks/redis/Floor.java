package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Mutex;

/** {@code SET NX PX} and a script that deletes the key if it is still ours. For one thread. */
public abstract class Floor implements Mutex {
  /** Deletes what has the expected value. */
  public static final String RELEASE =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return"
          + " 0";

  private long grants;

  /** Sets the key if there is none. */
  protected abstract boolean take(String value);

  /** Deletes the key if it has this value. */
  protected abstract boolean release(String value);

  @Override
  public void lock() {
    if (!take("grant " + ++grants)) {
      throw new IllegalStateException("another process has it, and this does not wait");
    }
  }

  @Override
  public void unlock() {
    if (!release("grant " + grants)) {
      throw new IllegalStateException("it was lost");
    }
  }
}
