package io.leasehold.examples;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.Quorum;
import io.leasehold.spi.StoreFactory;

/** Several servers as one store. */
final class Fleets {
  private Fleets() {}

  static LockClient sentinels() {
    return Leasehold.connect("redis+sentinel://app:secret@s1:26379,s2:26379,s3:26379/main");
  }

  static LockClient quorum(StoreFactory a, StoreFactory b, StoreFactory c) {
    StoreFactory quorum = Quorum.of(a, b, c); // each by LettuceStores, JdbcStores or the like
    LockClient locks = Leasehold.builder(quorum).acceptUnfenced().build();
    return locks;
  }
}
