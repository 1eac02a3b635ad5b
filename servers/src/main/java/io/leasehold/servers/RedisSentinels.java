package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A primary, its replicas, and three Sentinels that watch them.
 *
 * <pre>{@code
 * try (RedisSentinels fleet = RedisSentinels.of(RedisServer.Kind.REDIS_7_0).replicas(2).start()) {
 *   client = connect(fleet.url());
 *   fleet.failOver();
 * }
 * }</pre>
 *
 * <p>Its methods return once what they say has happened.
 */
public final class RedisSentinels implements AutoCloseable {
  /** What the Sentinels call the primary. */
  public static final String NAME = "main";

  private static final int SENTINELS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinels() {}

  /** To be configured and started. */
  public static Builder of(Kind kind) {
    return new Builder(kind);
  }

  /** What it shall be like. */
  public static final class Builder {
    private final Kind kind;
    private int replicas = 1;
    private String password = "";
    private String sentinelPassword = "";
    private Duration downAfter = Duration.ofSeconds(2);
    private boolean persistent;

    private Builder(Kind kind) {
      this.kind = kind;
    }

    /** So many replicas; one is the default. */
    public Builder replicas(int number) {
      replicas = number;
      return this;
    }

    /** The servers have a password. */
    public Builder password(String newPassword) {
      password = newPassword;
      return this;
    }

    /** The Sentinels have a password. */
    public Builder sentinelPassword(String newPassword) {
      sentinelPassword = newPassword;
      return this;
    }

    /** A primary that is silent for so long is replaced. */
    public Builder downAfter(Duration newDownAfter) {
      downAfter = newDownAfter;
      return this;
    }

    /** As {@link RedisServerBuilder#persistent()}. */
    public Builder persistent() {
      persistent = true;
      return this;
    }

    /** Starts all; returns once the replicas have caught up and the Sentinels know each other. */
    public RedisSentinels start() {
      RedisSentinels fleet = new RedisSentinels();
      try {
        RedisServer primary = server().start();
        fleet.servers.add(primary);
        for (int i = 0; i < replicas; i++) {
          fleet.servers.add(server().replicaOf(primary).start());
        }
        for (int i = 0; i < SENTINELS; i++) {
          fleet.sentinels.add(sentinel(primary).start());
        }
        await().atMost(PATIENCE).until(fleet::isReady);
        return fleet;
      } catch (RuntimeException e) {
        fleet.close();
        throw e;
      }
    }

    private RedisServerBuilder server() {
      RedisServerBuilder server = RedisServer.of(kind);
      if (persistent) {
        server.persistent();
      }
      return password.isEmpty()
          ? server
          : server.password(password).config("masterauth " + RedisServerBuilder.quoted(password));
    }

    private RedisServerBuilder sentinel(RedisServer primary) {
      RedisServerBuilder sentinel =
          RedisServer.of(kind)
              .sentinel()
              .config("sentinel monitor " + NAME + " 127.0.0.1 " + primary.port() + " 2")
              .config("sentinel down-after-milliseconds " + NAME + " " + downAfter.toMillis())
              .config("sentinel failover-timeout " + NAME + " 6000");
      if (!password.isEmpty()) {
        sentinel.config("sentinel auth-pass " + NAME + " " + RedisServerBuilder.quoted(password));
      }
      return sentinelPassword.isEmpty() ? sentinel : sentinel.password(sentinelPassword);
    }
  }

  private boolean isReady() {
    return agrees()
        && sentinels.stream()
            .map(RedisSentinels::told)
            .allMatch(
                told ->
                    field(told, "num-slaves").equals("" + (servers.size() - 1))
                        && field(told, "num-other-sentinels").equals("" + (SENTINELS - 1)))
        && servers.stream()
            .skip(1)
            .allMatch(
                replica -> "up".equals(replica.info("replication").get("master_link_status")));
  }

  /** Waits until all Sentinels name the same primary, and none is about to replace it. */
  public void awaitAgreement() {
    await().atMost(PATIENCE).until(this::agrees);
  }

  private boolean agrees() {
    String primary = "" + primary().port();
    return sentinels.stream()
        .map(RedisSentinels::told)
        .allMatch(
            told -> field(told, "port").equals(primary) && field(told, "flags").equals("master"));
  }

  private static List<?> told(RedisServer sentinel) {
    return (List<?>) sentinel.command("SENTINEL", "MASTER", NAME);
  }

  /** Of names and values in turn. */
  private static String field(List<?> all, String name) {
    return (String) all.get(all.indexOf(name) + 1);
  }

  /** All servers; the first was the first primary. */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  /** The Sentinels. */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** The primary, by the word of the first Sentinel that runs. */
  public RedisServer primary() {
    RedisServer asked =
        sentinels.stream().filter(each -> each.process().isAlive()).findFirst().orElseThrow();
    List<?> where = (List<?>) asked.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    int port = Integer.parseInt((String) where.get(1));
    return servers.stream().filter(each -> each.port() == port).findFirst().orElseThrow();
  }

  /** All that are not the primary. */
  public List<RedisServer> replicas() {
    RedisServer primary = primary();
    return servers.stream().filter(each -> !each.equals(primary)).toList();
  }

  /** Promotes a replica while the primary runs. */
  public void failOver() {
    RedisServer before = primary();
    await().atMost(PATIENCE).ignoreExceptions().until(() -> hasFailedOver(before));
  }

  /**
   * Asks for it again and again: a Sentinel refuses while the one before goes on, or while it knows
   * no replica to be in order; and it gives up what it has begun if the replica is too slow for it.
   * No second one is begun: the Sentinel refuses until the first has ended, and names the new
   * primary before that.
   */
  private boolean hasFailedOver(RedisServer before) {
    boolean done = !primary().equals(before);
    if (!done) {
      Object unused = sentinels.get(0).command("SENTINEL", "FAILOVER", NAME);
    }
    return done;
  }

  /** Waits until the Sentinels name another primary. */
  public void awaitPrimaryBut(RedisServer before) {
    await().atMost(PATIENCE).until(() -> !primary().equals(before));
  }

  /** The URL for clients of this library, with the passwords. */
  public String url() {
    String login = servers.get(0).password();
    return "redis+sentinel://"
        + (login.isEmpty() ? "" : ":" + RedisAccess.encode(login) + "@")
        + hosts()
        + "/"
        + NAME;
  }

  /** The addresses of the Sentinels, separated by commas. */
  public String hosts() {
    return sentinels.stream()
        .map(each -> each.host() + ":" + each.port())
        .collect(Collectors.joining(","));
  }

  /** Ends all. */
  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
