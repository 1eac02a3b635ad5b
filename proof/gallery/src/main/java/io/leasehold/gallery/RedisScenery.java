package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.servers.RedisCli.Nil;
import io.leasehold.servers.RedisServer;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/** A Redis server in a play. */
final class RedisScenery implements Scenery {
  /** A client that stands still shall not give up by itself. */
  private static final int SOCKET_TIMEOUT_MILLIS = 60_000;

  /** Tokens are compared as text, since a number of Lua has 53 bits. */
  private static final String FENCED_WRITE =
      """
      local seen = redis.call('HGET', KEYS[1], 'token') or ''
      if #ARGV[1] < #seen or (#ARGV[1] == #seen and ARGV[1] < seen) then return 0 end
      redis.call('HSET', KEYS[1], 'token', ARGV[1], 'value', ARGV[2])
      return 1
      """;

  private final Stage stage;
  private final RedisServer server;
  private final String label;

  RedisScenery(Stage stage, RedisServer server) {
    this(stage, server, "");
  }

  RedisScenery(Stage stage, RedisServer server, String label) {
    this.stage = stage;
    this.server = server;
    this.label = label;
    server.command("FLUSHALL");
  }

  RedisServer server() {
    return server;
  }

  /** A connection of this client, recorded. */
  Jedis connect(Client client) {
    RedisWire wire = stage.closes(new RedisWire(client, label, server.port()));
    return stage.closes(new Jedis("127.0.0.1", wire.port(), SOCKET_TIMEOUT_MILLIS));
  }

  /** A connection that is cut before its first command. */
  Jedis connectAndCut(Client client) {
    RedisWire wire = new RedisWire(client, label, server.port());
    Jedis jedis = stage.closes(new Jedis("127.0.0.1", wire.port(), SOCKET_TIMEOUT_MILLIS));
    wire.close();
    return jedis;
  }

  @Override
  public LeaseholdClient leasehold(String name) {
    return leaseholdOf(stage.client(name));
  }

  /** Another process that is shown as this client. */
  LeaseholdClient leaseholdOf(Client client) {
    return stage.closes(
        new LeaseholdClient(stage, client, Framing.RESP, server.port(), server::urlBy));
  }

  /** A process that locks by a majority of these servers. */
  static LeaseholdClient quorum(Stage stage, List<RedisScenery> nodes, String name) {
    return stage.closes(
        new LeaseholdClient(
            stage,
            stage.client(name),
            Framing.RESP,
            nodes.stream().map(node -> node.server.port()).toList(),
            ports ->
                IntStream.range(0, nodes.size())
                    .mapToObj(i -> nodes.get(i).server.urlBy(ports.get(i)))
                    .collect(Collectors.joining(",", "quorum:", "?accept=unfenced"))));
  }

  /** The same in another process. */
  RemoteLeasehold remoteLeasehold(String name, Duration ttl, Duration ahead) throws IOException {
    String url = server.url() + "?ttl=" + ttl.toMillis() + "ms";
    return stage.closes(new RemoteLeasehold(stage.client(name), url, ahead));
  }

  @Override
  public void passes(Duration time) {
    passesUnseen(time);
    stage.world(Words.of(time) + " pass");
  }

  /** The same without a record. */
  void passesUnseen(Duration time) {
    server.stepClock(time);
  }

  /** A write that the data refuses if it has seen a higher token. */
  boolean writesFenced(Lease lease, String key, String value) {
    return writesFenced(lease.fencingToken(), key, value);
  }

  boolean writesFenced(long token, String key, String value) {
    Object done = server.command("EVAL", FENCED_WRITE, "1", key, String.valueOf(token), value);
    return done.equals(1L);
  }

  /** Asks as the administrator, and shows the answer as what the data looks like after. */
  String shows(String... words) {
    String reply = ask(words);
    stage.data((label.isEmpty() ? "redis> " : label.replace(": ", "> ")) + String.join(" ", words));
    stage.data(reply);
    return reply;
  }

  /** Asks as the administrator. */
  String ask(String... words) {
    Object reply = server.command(words);
    if (reply instanceof Long number) {
      return "(integer) " + number;
    }
    return reply == Nil.NIL ? "(nil)" : reply.toString();
  }
}
