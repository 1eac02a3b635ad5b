package io.leasehold.consul;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryStore;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.sessions.SessionLockStore;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.json.JSONObject;

/** Entries as keys of Consul that the session of their client has locked. Thread-safe. */
final class ConsulStore implements EntryStore {
  final Agent agent;
  final Entries entries;
  final Watches watches;
  private final Connection connection;
  private final Traits traits;

  ConsulStore(Connection connection, Entries entries) {
    this.connection = connection;
    this.agent = connection.agent();
    this.traits = traits(connection);
    this.entries = entries;
    this.watches = new Watches(connection.watching(), connection.threads());
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the agent cannot be reached, or refuses
   */
  static LockStore open(AgentAddress address, Entries entries, StoreListener listener) {
    Connection connection = Connection.open(address);
    return new SessionLockStore(
        new ConsulStore(connection, entries), listener, entries.clock(), connection.threads());
  }

  /** Beats come every third of the ttl. The servers end a session after one ttl to two. */
  private static Traits traits(Connection connection) {
    return EntryStore.traits(
        "consul",
        EnumSet.allOf(LockMode.class),
        new Limits(
            connection.shortestTtl(),
            connection.longestTtl(),
            Connection.TTL_STEP,
            60,
            ttl -> ttl.plus(Connection.ENDING)),
        Trait.LINEARIZABLE);
  }

  /** A transaction has no more operations. */
  @Override
  public int mostTogether() {
    return 64;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
    SessionLife life = new SessionLife(entries.clock(), ttl, Duration.ZERO);
    return agent
        .put(Connection.CREATE, Connection.session(ttl, Duration.ZERO), within)
        .thenApply(answer -> new ConsulSession(this, answer.json().optString("ID"), life, ended));
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    String folder = name.map(entries::folder).orElse(entries.folder());
    return read(new Transaction().add("get-tree", folder), within).thenApply(entries::of);
  }

  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    return find(entry, within)
        .thenCompose(
            found ->
                found.isEmpty()
                    ? CompletableFuture.completedFuture(false)
                    : agent
                        .put(
                            Transaction.PATH,
                            Transaction.removal(entry.key(), found.get().getLong("ModifyIndex")),
                            within)
                        .thenApply(Transaction::hasRemoved));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return new Diagnosis(agent, traits.minTtl(), within).findings();
  }

  @Override
  public void close() {
    connection.close();
  }

  // ---- for its sessions

  /** The key of an entry, unless it has become that of another one. */
  CompletableFuture<Optional<JSONObject>> find(Entry entry, Duration within) {
    return read(new Transaction().add("get-tree", entry.key()), within)
        .thenApply(
            keys ->
                keys.stream()
                    .filter(key -> key.getLong("CreateIndex") == entry.number())
                    .findFirst());
  }

  /** The keys that this lists, as the servers have agreed on them. */
  CompletableFuture<List<JSONObject>> read(Transaction read, Duration within) {
    return agent.ask(Transaction.PATH + "?consistent", read, within).thenApply(Transaction::keys);
  }
}
