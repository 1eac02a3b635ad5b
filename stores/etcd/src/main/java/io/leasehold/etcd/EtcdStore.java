package io.leasehold.etcd;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryStore;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.sessions.SessionLockStore;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Entries as keys of an etcd cluster, sessions as its leases. Thread-safe. */
final class EtcdStore implements EntryStore {
  /** The first connection of a process loads gRPC, which a busy machine needs seconds for. */
  private static final Duration OPENING = Duration.ofSeconds(10);

  /** A new leader gives every lease its whole ttl again, and looks at leases in turns. */
  private static final Duration LATE = Duration.ofSeconds(5);

  private final Cluster cluster;
  private final Keys keys;
  private final Clock clock;
  private final Traits traits;

  private EtcdStore(Cluster cluster, Keys keys, Clock clock, Duration shortest) {
    this.cluster = cluster;
    this.keys = keys;
    this.clock = clock;
    Duration second = Duration.ofSeconds(1);
    Limits limits = new Limits(shortest, Duration.ofDays(30), second, 60, ttl -> ttl.plus(LATE));
    this.traits =
        EntryStore.traits(
            keys.store(), keys.modes(), limits, Trait.LINEARIZABLE, Trait.SURVIVES_RESTART);
  }

  /**
   * Opens one.
   *
   * @param threads those of the cluster
   * @throws StoreException if no member can be reached, or one refuses; the cluster and its threads
   *     are closed then
   */
  static LockStore open(
      Cluster cluster, Keys keys, Clock clock, Threads threads, StoreListener listener) {
    try {
      Duration shortest = shortestTtl(cluster);
      cluster.listen(listener::reconnected);
      EntryStore store = new EtcdStore(cluster, keys, clock, shortest);
      return new SessionLockStore(store, listener, clock, threads);
    } catch (RuntimeException e) {
      cluster.close();
      threads.close();
      throw e;
    }
  }

  /** What a shorter lease gets: it depends on the election timeout of the cluster. */
  private static Duration shortestTtl(Cluster cluster) {
    StatusRequest question = StatusRequest.getDefaultInstance();
    CompletableFuture<LeaseGrantResponse> granted =
        cluster
            .read(MaintenanceGrpc.getStatusMethod(), question, OPENING)
            .thenCompose(
                status -> {
                  Diagnosis.requireSupported(status.getVersion());
                  return grant(cluster, Duration.ofSeconds(1), OPENING);
                });
    Duration within = OPENING.multipliedBy(2);
    return Duration.ofSeconds(TimedJoin.ofOpening("etcd", granted, within).getTTL());
  }

  private static CompletableFuture<LeaseGrantResponse> grant(
      Cluster cluster, Duration ttl, Duration within) {
    LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(ttl.toSeconds()).build();
    return cluster.change(LeaseGrpc.getLeaseGrantMethod(), request, within);
  }

  /** A transaction has at most 128 operations unless the cluster is configured otherwise. */
  @Override
  public int mostTogether() {
    return 100;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
    SessionLife life = new SessionLife(clock, ttl, Duration.ZERO);
    return grant(cluster, ttl, within)
        .thenApply(
            granted -> {
              Session session = new EtcdSession(cluster, keys, clock, granted.getID(), life, ended);
              if (granted.getTTL() != ttl.toSeconds()) {
                CompletionStage<?> unused = session.end();
                throw new StoreException(
                    Failure.REFUSED,
                    "etcd grants a ttl of " + granted.getTTL() + " s, and not " + ttl.toSeconds(),
                    null);
              }
              return session;
            });
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    return cluster
        .read(KVGrpc.getRangeMethod(), keys.range(name), within)
        .thenApply(found -> keys.entries(found, name, clock.wallMillis()));
  }

  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    return cluster
        .change(KVGrpc.getTxnMethod(), Keys.ifThere(entry, Keys.delete(entry.key())), within)
        .thenApply(TxnResponse::getSucceeded);
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return new Diagnosis(cluster, within).findings();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
