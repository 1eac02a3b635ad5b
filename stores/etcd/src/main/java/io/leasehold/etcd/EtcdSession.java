package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.Failures;
import io.leasehold.sessions.KeyIds;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A lease of etcd. Thread-safe. */
final class EtcdSession implements Session {
  /** A closed client waits no longer for it. */
  private static final Duration ENDING = Duration.ofSeconds(5);

  private final Cluster cluster;
  private final Keys keys;
  private final Clock clock;
  private final long lease;
  private final KeyIds ids;
  private final SessionLife life;
  private final Runnable ended;

  /** Of a lease that was granted. */
  EtcdSession(
      Cluster cluster, Keys keys, Clock clock, long lease, SessionLife life, Runnable ended) {
    this.cluster = cluster;
    this.keys = keys;
    this.clock = clock;
    this.lease = lease;
    this.ids = new KeyIds(lease);
    this.life = life;
    this.ended = ended;
  }

  private RequestOp range(String name) {
    return RequestOp.newBuilder().setRequestRange(keys.range(Optional.of(name))).build();
  }

  private List<Entry> entries(String name, RangeResponse range) {
    return keys.entries(range, Optional.of(name), clock.wallMillis());
  }

  /** Sends a transaction, and notices if the session is gone. */
  private CompletionStage<TxnResponse> change(TxnRequest txn, Duration within) {
    return cluster
        .change(KVGrpc.getTxnMethod(), txn, within)
        .whenComplete(
            (done, failed) -> {
              if (failed != null && Request.saysNoSession(failed)) {
                ended.run();
              }
            });
  }

  @Override
  public CompletionStage<Entered> enter(Ticket ticket, Duration within) {
    String key = keys.key(ticket, ids.enters(ticket.id()));
    PutRequest.Builder put =
        PutRequest.newBuilder()
            .setKey(Keys.bytes(key))
            .setValue(Keys.value(ticket, clock.wallMillis()))
            .setLease(lease);
    TxnRequest.Builder txn =
        TxnRequest.newBuilder()
            .addCompare(Keys.created(Keys.bytes(key), 0))
            .addCompare(Keys.created(keys.withdrawn(ticket.id()), 0))
            .addSuccess(Keys.put(put))
            .addSuccess(range(ticket.name()))
            .addFailure(range(ticket.name()));
    return change(txn.build(), within)
        .thenCompose(
            done -> {
              try {
                return CompletableFuture.completedFuture(entered(ticket, key, done));
              } catch (StoreException foreign) {
                return takeBack(ticket, within)
                    .handle((gone, failed) -> failed == null ? foreign : inDoubt(foreign))
                    .thenCompose(CompletableFuture::failedFuture);
              }
            })
        .whenComplete(
            (entered, failed) -> {
              if (failed != null && !Failures.mayHaveTakenEffect(failed)) {
                ids.failed(ticket.id());
              }
            });
  }

  private Entered entered(Ticket ticket, String key, TxnResponse done) {
    int last = done.getResponsesCount() - 1;
    long now = clock.wallMillis();
    List<Entry> all = new ArrayList<>();
    Entry own = null;
    for (KeyValue kv : done.getResponses(last).getResponseRange().getKvsList()) {
      boolean isOwn = kv.getKey().toStringUtf8().equals(key);
      // What its value says is known
      Entry each =
          isOwn
              ? Entry.of(ticket, key, kv.getCreateRevision())
              : keys.entry(ticket.name(), kv, now);
      own = isOwn ? each : own;
      all.add(each);
    }
    if (own == null) {
      throw new StoreException(Failure.UNAVAILABLE, "it was taken back", null);
    }
    return new Entered(own, all);
  }

  /** The entry could not be removed again. */
  private static StoreException inDoubt(StoreException foreign) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, String.valueOf(foreign.getMessage()), foreign);
  }

  @Override
  public CompletionStage<Boolean> leave(Entry own, Duration within) {
    TxnRequest txn = Keys.ifThere(own, Keys.delete(own.key()));
    return removed(
        change(txn, within).thenApply(TxnResponse::getSucceeded), () -> ids.left(own.id()));
  }

  /** One that a member was slow with may come later, so this forbids to make it too. */
  @Override
  public CompletionStage<Boolean> takeBack(Ticket ticket, Duration within) {
    PutRequest.Builder mark =
        PutRequest.newBuilder().setKey(keys.withdrawn(ticket.id())).setLease(lease);
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addSuccess(Keys.delete(keys.key(ticket, ids.takes(ticket.id()))))
            .addSuccess(Keys.put(mark))
            .build();
    return removed(
        change(txn, within)
            .thenApply(done -> done.getResponses(0).getResponseDeleteRange().getDeleted() > 0),
        () -> ids.takenBack(ticket.id()));
  }

  private static CompletionStage<Boolean> removed(
      CompletionStage<Boolean> wasThere, Runnable whenAnswered) {
    return wasThere
        .exceptionallyCompose(
            failed ->
                // Its entries went with the session, and no request makes one without it
                Request.saysNoSession(failed)
                    ? CompletableFuture.completedFuture(false)
                    : CompletableFuture.failedFuture(failed))
        .thenApply(
            answer -> {
              whenAnswered.run();
              return answer;
            });
  }

  @Override
  public CompletionStage<List<Entry>> read(List<String> names, Duration within) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    names.forEach(name -> txn.addSuccess(range(name)));
    return cluster
        .read(KVGrpc.getTxnMethod(), txn.build(), within)
        .thenApply(
            done -> {
              List<Entry> all = new ArrayList<>();
              for (int i = 0; i < names.size(); i++) {
                all.addAll(entries(names.get(i), done.getResponses(i).getResponseRange()));
              }
              return all;
            });
  }

  @Override
  public CompletionStage<Optional<Details>> look(
      Entry other, @Nullable Watcher watcher, Duration within) {
    ByteString key = Keys.bytes(other.key());
    return cluster
        .read(KVGrpc.getRangeMethod(), RangeRequest.newBuilder().setKey(key).build(), within)
        .thenApply(
            found -> {
              Optional<Details> details =
                  found.getKvsList().stream()
                      .filter(kv -> kv.getCreateRevision() == other.number())
                      .map(kv -> keys.value(kv, clock.wallMillis()).details())
                      .findAny();
              if (watcher != null && details.isPresent()) {
                cluster.watch(key, found.getHeader().getRevision() + 1, watcher);
              }
              return details;
            });
  }

  @Override
  public CompletionStage<Void> touch(Entry own, Duration within) {
    PutRequest.Builder same =
        PutRequest.newBuilder().setKey(Keys.bytes(own.key())).setIgnoreValue(true).setLease(lease);
    return change(Keys.ifThere(own, Keys.put(same)), within).thenApply(done -> null);
  }

  @Override
  public CompletionStage<Void> beat(Duration within) {
    SessionLife.Sent sent = life.now();
    LeaseKeepAliveRequest beat = LeaseKeepAliveRequest.newBuilder().setID(lease).build();
    return cluster
        .read(LeaseGrpc.getLeaseKeepAliveMethod(), beat, within)
        .thenAccept(
            answer -> {
              if (answer.getTTL() <= 0) {
                ended.run();
                throw new StoreException(Failure.UNAVAILABLE, "the session has ended", null);
              }
              life.answered(sent);
            });
  }

  @Override
  public SessionLife life() {
    return life;
  }

  @Override
  public CompletionStage<?> end() {
    LeaseRevokeRequest revoke = LeaseRevokeRequest.newBuilder().setID(lease).build();
    // If it fails the session ends with its ttl
    return cluster.change(LeaseGrpc.getLeaseRevokeMethod(), revoke, ENDING);
  }
}
