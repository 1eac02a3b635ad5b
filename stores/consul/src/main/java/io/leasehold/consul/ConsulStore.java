package io.leasehold.consul;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryStore;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.sessions.SessionLockStore;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/** Entries as keys of Consul that the session of their client has locked. Thread-safe. */
final class ConsulStore implements EntryStore {
  /** What the servers say of a ttl that they do not take. */
  static final String NO_TTL = "Invalid Session TTL";

  private static final Pattern LIMITS = Pattern.compile("between \\[([^=]+)=([^]]+)]");
  private static final String CREATE = "/v1/session/create";

  /** An agent takes no more than 200 connections from one machine, with all its processes. */
  private static final int REQUESTS = 16;

  private static final int WATCHES = 32;
  private static final Duration OPENING = Duration.ofSeconds(5);
  private static final Duration CLOSING = Duration.ofSeconds(1);

  /** What the servers need to end a session once it is due. */
  private static final Duration ENDING = Duration.ofSeconds(2);

  private final Agent agent;
  private final Agent watching;
  private final Traits traits;
  private final Entries entries;
  private final Watches watches;
  private final Set<ConsulSession> sessions = ConcurrentHashMap.newKeySet();

  private ConsulStore(
      Agent agent, Agent watching, Traits traits, Entries entries, Watches watches) {
    this.agent = agent;
    this.watching = watching;
    this.traits = traits;
    this.entries = entries;
    this.watches = watches;
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the agent cannot be reached, or refuses
   */
  static LockStore open(AgentAddress address, Entries entries, StoreListener listener) {
    Threads threads = new Threads();
    Agent agent = new Agent(address, REQUESTS, threads);
    Agent watching = new Agent(address, WATCHES, threads);
    try {
      // No session is so short: the refusal says which are, after the token was looked at
      Answer refusal = TimedJoin.of(agent.put(CREATE, session("1ns"), OPENING), OPENING);
      Watches watches = new Watches(watching, threads);
      return new SessionLockStore(
          new ConsulStore(agent, watching, traits(refusal.body()), entries, watches),
          listener,
          entries.clock(),
          threads);
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      agent.close();
      watching.close();
      threads.close();
      throw e.getCause() instanceof StoreException known
          ? known
          : new StoreException(Failure.UNAVAILABLE, agent + ": no answer", e);
    }
  }

  /** Beats come every third of the ttl. The servers end a session after one ttl to two. */
  private static Traits traits(String refusal) {
    Matcher limits = LIMITS.matcher(refusal);
    boolean known = limits.find();
    return EntryStore.traits(
        "consul",
        new Limits(
            known ? Durations.parse(limits.group(1)) : Duration.ofSeconds(10),
            known ? Durations.parse(limits.group(2)) : Duration.ofDays(1),
            Duration.ofMillis(1),
            60,
            ttl -> ttl.plus(ENDING)),
        Trait.LINEARIZABLE);
  }

  /** Without checks: with the usual one it ends as soon as its node is slow to answer. */
  private static JSONObject session(String ttl) {
    return new JSONObject()
        .put("Name", "leasehold")
        .put("TTL", ttl)
        .put("Behavior", "delete")
        .put("LockDelay", "0s")
        .put("Checks", new JSONArray())
        .put("NodeChecks", new JSONArray());
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
    SessionLife life = new SessionLife(entries.clock(), ttl, Duration.ZERO);
    return agent
        .put(CREATE, session(ttl.toMillis() + "ms"), within)
        .thenApply(
            answer -> {
              String id = answer.json().optString("ID");
              ConsulSession made = new ConsulSession(this, id, life, ended);
              sessions.add(made);
              return made;
            });
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    String folder = name.map(entries::folder).orElse(entries.folder());
    return read(new Transaction().add("get-tree", folder), within).thenApply(entries::of);
  }

  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    Transaction remove = new Transaction().add("get-tree", entry.key()).add("delete", entry.key());
    return agent
        .put(Transaction.PATH, remove, within)
        .thenApply(answer -> !Transaction.keys(answer).isEmpty());
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return agent
        .get("/v1/status/peers", within)
        .thenCombine(
            agent
                .get("/v1/agent/self", within)
                .handle((answer, failed) -> failed == null ? answer.json() : new JSONObject()),
            (peers, self) -> findings(new JSONArray(peers.body()).length(), self));
  }

  /** An empty self is one that the token may not read. */
  private List<Finding> findings(int servers, JSONObject self) {
    String version = self.optJSONObject("Config", self).optString("Version", "not known");
    boolean forgets = self.optJSONObject("DebugConfig", self).optBoolean("DevMode");
    String count = servers + (servers == 0 ? ": no leader" : "");
    String few = "; while one is down nothing can be locked: run 3 or 5";
    return List.of(
        new Finding(
            forgets || self.isEmpty() ? Level.WARNING : Level.OK,
            "server",
            "Consul "
                + version
                + (forgets ? " with -dev: a restart forgets all locks and tokens" : "")
                + (self.isEmpty() ? ": the ACL token has no agent_prefix \"\" read" : "")),
        new Finding(
            servers == 0 ? Level.ERROR : servers < 3 ? Level.WARNING : Level.OK,
            "servers",
            servers > 0 && servers < 3 ? count + few : count),
        new Finding(
            Level.OK,
            "ttl",
            "from "
                + Durations.show(traits.minTtl())
                + " (session_ttl_min); a dead client's lock is free after one ttl to two"));
  }

  @Override
  public void close() {
    watching.close();
    CompletableFuture<?>[] all =
        sessions.stream().map(ConsulSession::destroy).toArray(CompletableFuture<?>[]::new);
    try {
      TimedJoin.of(CompletableFuture.allOf(all), CLOSING);
    } catch (ExecutionException | TimeoutException e) {
      Log.debug("a session was not ended; it ends by itself", e);
    }
    agent.close();
  }

  // ---- for its sessions

  /** The keys that this lists, as the servers have agreed on them. */
  CompletableFuture<List<JSONObject>> read(Transaction read, Duration within) {
    return agent.ask(Transaction.PATH + "?consistent", read, within).thenApply(Transaction::keys);
  }

  void forget(ConsulSession session) {
    sessions.remove(session);
  }

  Agent agent() {
    return agent;
  }

  Entries entries() {
    return entries;
  }

  Watches watches() {
    return watches;
  }
}
