package io.leasehold.spring;

import io.leasehold.LockOptions;

/**
 * A bean of this type takes part in the election with this name, as the names in {@code
 * leasehold.leadership} do; see {@link Leaderships}.
 *
 * @param name the lock name
 * @param options of the lease
 */
public record LeadershipCandidate(String name, LockOptions options) {
  /** A candidate with the ttl of the client. */
  public static LeadershipCandidate of(String name) {
    return new LeadershipCandidate(name, LockOptions.defaults());
  }
}
