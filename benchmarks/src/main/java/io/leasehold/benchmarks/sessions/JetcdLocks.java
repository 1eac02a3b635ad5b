package io.leasehold.benchmarks.sessions;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.support.Observers;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * jetcd's {@code Lock}. A lease that takes a lock twice has it twice, so each thread keeps one; or
 * each acquisition has its own, which is granted and kept alive before and revoked after.
 */
final class JetcdLocks implements Client {
  private final io.etcd.jetcd.Client etcd;
  private final Duration ttl;
  private final boolean own;
  private final ThreadLocal<Lease> kept = ThreadLocal.withInitial(this::lease);

  /**
   * A lease that is kept alive.
   *
   * @param id its number
   * @param beats end with this
   */
  private record Lease(long id, CloseableClient beats) {}

  JetcdLocks(String url, Duration ttl, boolean own) {
    this.etcd = io.etcd.jetcd.Client.builder().endpoints(url.replace("etcd://", "http://")).build();
    this.ttl = ttl;
    this.own = own;
  }

  private Lease lease() {
    long id = etcd.getLeaseClient().grant(ttl.toSeconds()).join().getID();
    return new Lease(id, etcd.getLeaseClient().keepAlive(id, Observers.observer(beat -> {})));
  }

  private void end(Lease lease) {
    lease.beats.close();
    etcd.getLeaseClient().revoke(lease.id).join();
  }

  @Override
  public Mutex mutex(String name) {
    ByteSequence bytes = ByteSequence.from(name, StandardCharsets.UTF_8);
    return new Mutex() {
      private Optional<Lease> lease = Optional.empty();
      private ByteSequence key = bytes;

      @Override
      public void lock() {
        lease = Optional.of(own ? lease() : kept.get());
        key = etcd.getLockClient().lock(bytes, lease.orElseThrow().id).join().getKey();
      }

      @Override
      public void unlock() {
        etcd.getLockClient().unlock(key).join();
        if (own) {
          end(lease.orElseThrow());
        }
      }
    };
  }

  @Override
  public Object keep(String name) {
    Mutex mutex = mutex(name);
    mutex.lock();
    return mutex;
  }
}
