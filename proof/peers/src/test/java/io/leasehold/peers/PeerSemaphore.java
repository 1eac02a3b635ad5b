package io.leasehold.peers;

import io.leasehold.DistributedSemaphore;
import io.leasehold.LockOptions;

/** Permits under one name. */
final class PeerSemaphore extends PeerLock implements DistributedSemaphore {
  private final PeerClient client;
  private final int size;
  private final int permits;

  PeerSemaphore(PeerClient client, String name, int size, int permits, LockOptions options) {
    super(client, name, options, chosen -> client.permits(name, size, permits, chosen));
    this.client = client;
    this.size = size;
    this.permits = permits;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int permits() {
    return permits;
  }

  @Override
  public DistributedSemaphore permits(int count) {
    return new PeerSemaphore(client, name(), size, count, options());
  }

  @Override
  public DistributedSemaphore with(LockOptions options) {
    return new PeerSemaphore(client, name(), size, permits, options);
  }
}
