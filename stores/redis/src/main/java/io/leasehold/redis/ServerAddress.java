package io.leasehold.redis;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Host;
import io.leasehold.spi.support.ServerUrl.Login;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;

/** Where the servers are, and how to come in: a URL taken apart. */
final class ServerAddress {
  static final Set<String> SCHEMES =
      Set.of(
          "redis",
          "rediss",
          "redis+sentinel",
          "rediss+sentinel",
          "redis+cluster",
          "rediss+cluster");

  private static final Set<String> PARAMETERS = Set.of("prefix");

  private static final String SENTINEL = "+sentinel";

  private static final String CLUSTER = "+cluster";

  private static final Form ONE = new Form(6379, false, "/database", Login.PASSWORD, "rediss");

  private static final Form SENTINELS =
      new Form(26379, true, "/primary[/database]", Login.PASSWORD, "rediss" + SENTINEL);

  private static final Form NODES = new Form(6379, true, "", Login.PASSWORD, "rediss" + CLUSTER);

  private ServerAddress() {}

  /**
   * What connects to where a URL says, each time anew.
   *
   * @param environment where user and password are taken from if the URL has none
   * @param others parameters that the URL may have as well, which are not of the address
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static Function<Clock, Wire> wires(
      StoreUrl url, Map<String, String> environment, Set<String> others) {
    if (!url.scheme().endsWith(CLUSTER)) {
      Connections connections = of(url, environment, others);
      return clock -> new JedisWire(connections, clock);
    }
    ServerUrl nodes = ServerUrl.of(url, NODES, parameters(others), environment);
    Access access = Access.of(nodes, nodes.user(), nodes.password(), 0);
    List<HostAndPort> seeds = nodes.hosts().stream().map(ServerAddress::at).toList();
    return clock -> new ClusterWire(seeds, access::open, clock);
  }

  private static Set<String> parameters(Set<String> others) {
    Set<String> parameters = new HashSet<>(PARAMETERS);
    parameters.addAll(others);
    return parameters;
  }

  /**
   * Reads a URL of one server.
   *
   * @param environment where user and password are taken from if the URL has none
   * @param others parameters that the URL may have as well, which are not of the address
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static Connections of(StoreUrl url, Map<String, String> environment, Set<String> others) {
    return of(url, environment, others, UnaryOperator.identity());
  }

  /** As {@link #of}, by connections that a {@link PipelineWire} can share. */
  static Connections ofMember(StoreUrl url, Map<String, String> environment, Set<String> others) {
    return of(url, environment, others, Access::shareable);
  }

  private static Connections of(
      StoreUrl url,
      Map<String, String> environment,
      Set<String> others,
      UnaryOperator<Access> way) {
    Set<String> parameters = parameters(others);
    if (!url.scheme().endsWith(SENTINEL)) {
      return ofOne(ServerUrl.of(url, ONE, parameters, environment), way);
    }
    parameters.addAll(Sentinels.PARAMETERS);
    return ofSentinels(url, ServerUrl.of(url, SENTINELS, parameters, environment), way);
  }

  private static Connections ofOne(ServerUrl server, UnaryOperator<Access> way) {
    Access access =
        way.apply(Access.of(server, server.user(), server.password(), database(server.path())));
    HostAndPort where = at(server.host());
    return new Connections("Redis at " + where, access.to(where));
  }

  private static Connections ofSentinels(
      StoreUrl url, ServerUrl server, UnaryOperator<Access> way) {
    int slash = server.path().indexOf('/');
    String name = slash < 0 ? server.path() : server.path().substring(0, slash);
    // As Sentinel restricts it
    if (!name.matches("[A-Za-z0-9._-]+")) {
      throw new IllegalArgumentException(
          "the store URL does not name the primary as its Sentinels do; write "
              + url.scheme()
              + "://HOST:26379,HOST:26379/NAME");
    }
    int database = database(slash < 0 ? "" : server.path().substring(slash + 1));
    Access servers = way.apply(Access.of(server, server.user(), server.password(), database));
    Access login = loginOfSentinels(url, server);
    Access none = Access.of(server, "", "", 0);
    List<Connections> sentinels =
        server.hosts().stream()
            .map(ServerAddress::at)
            .map(at -> new Connections("the Sentinel at " + at, () -> open(at, login, none)))
            .toList();
    return new Connections(
        "the primary '" + name + "' of the Sentinels at " + server,
        new Sentinels(sentinels, name, servers::open));
  }

  private static Access loginOfSentinels(StoreUrl url, ServerUrl server) {
    String user = url.parameter("sentinel-user").orElse("");
    Optional<String> password = url.parameter("sentinel-password");
    if (!user.isEmpty() && password.orElse("").isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL has a sentinel-user and no sentinel-password");
    }
    return password.isPresent()
        ? Access.of(server, user, password.get(), 0)
        : Access.of(server, server.user(), server.password(), 0);
  }

  /** A Sentinel without a password refuses to be given that of its servers. */
  private static Link open(HostAndPort sentinel, Access login, Access none) {
    try {
      return login.open(sentinel);
    } catch (JedisDataException e) {
      if (String.valueOf(e.getMessage()).contains("without any password configured")) {
        return none.open(sentinel);
      }
      throw e;
    }
  }

  private static int database(String path) {
    if (!path.matches("\\d{0,5}")) {
      throw new IllegalArgumentException("the database of the store URL is not a number");
    }
    return path.isEmpty() ? 0 : Integer.parseInt(path);
  }

  private static HostAndPort at(Host host) {
    return new HostAndPort(host.name(), host.port());
  }
}
