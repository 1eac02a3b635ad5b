package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.servers.RedisServer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;

/** Where one play happens: its clients, its record, and the servers. */
final class Stage implements AutoCloseable {
  private final Servers servers;
  private final Recording recording;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final TreeSet<Long> tokens = new TreeSet<>();

  Stage(Servers servers, Recording recording) {
    this.servers = servers;
    this.recording = recording;
  }

  /** The Redis server of this play, empty at its beginning. */
  RedisScenery redis() {
    return new RedisScenery(this, servers.redis());
  }

  /** Several Redis servers that know nothing of each other, empty. */
  List<RedisScenery> fleet() {
    List<RedisScenery> nodes = new ArrayList<>();
    for (RedisServer server : servers.fleet()) {
      nodes.add(new RedisScenery(this, server, "node " + (nodes.size() + 1) + ": "));
    }
    return nodes;
  }

  /** A new database for this play. */
  SqlScenery mysql() {
    return new SqlScenery(this, servers.mysql());
  }

  /** The ZooKeeper of this play, in which the lock is free. */
  ZooKeeperScenery zooKeeper() throws Exception {
    return new ZooKeeperScenery(this, servers.zooKeeper());
  }

  /** The Consul of this play, and a key. */
  ConsulScenery consul() {
    return new ConsulScenery(this, servers.consul());
  }

  /** The memcached of this play, empty. */
  MemcachedScenery memcached() throws IOException {
    return new MemcachedScenery(this, servers.memcached());
  }

  /** Another client. */
  Client client(String name) {
    return closes(new Client(name, recording));
  }

  /** Closes it after the play. */
  <T extends AutoCloseable> T closes(T resource) {
    open.push(resource);
    return resource;
  }

  /** The time of the clients' clocks in this play. */
  WallClock clock() {
    return new WallClock(this);
  }

  /** What the token is called in the record: its place among those of this play. */
  int token(Lease lease) {
    return token(lease.fencingToken());
  }

  int token(long token) {
    if (!tokens.isEmpty() && token < tokens.last() && !tokens.contains(token)) {
      throw new IllegalStateException("a later token is lower");
    }
    tokens.add(token);
    return tokens.headSet(token, true).size();
  }

  /** Something happened to the world. */
  void world(String text) {
    recording.world(text);
  }

  /** A line of what the data looks like after. */
  void data(String line) {
    recording.data(line);
  }

  /** The harm is done, if this is so. */
  void harm(Harm harm, boolean done) {
    if (done) {
      recording.harm(harm);
    }
  }

  /** Why it went well. */
  void verdict(String text) {
    recording.verdict(text);
  }

  @Override
  public void close() {
    Closing.all(open);
  }
}
