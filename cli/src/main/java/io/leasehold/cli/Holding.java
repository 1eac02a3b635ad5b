package io.leasehold.cli;

import io.leasehold.Lease;
import java.util.OptionalLong;

/**
 * What the tool holds while the command runs.
 *
 * @param name the lock name, or the key
 * @param id what marks every process of the command; no other run has it
 * @param token the fencing token; empty if the store gives none
 */
record Holding(String name, String id, OptionalLong token) {
  static Holding of(Lease lease) {
    OptionalLong token;
    try {
      token = OptionalLong.of(lease.fencingToken());
    } catch (UnsupportedOperationException e) {
      // A store without fencing, which the caller accepted
      token = OptionalLong.empty();
    }
    return new Holding(lease.name(), lease.leaseId(), token);
  }
}
