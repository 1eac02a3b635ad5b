package io.leasehold.servers;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A Redis or Valkey server for tests, without persistence unless it is asked for.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.of(RedisServer.Kind.VALKEY_8).persistent().start()) {
 *   client = connect(server.url());
 *   server.kill();
 *   server.start();
 *   server.info("commandstats");
 * }
 * }</pre>
 *
 * <p>A server whose address is given in the environment is used as it is: what would configure it
 * or end it aborts the test.
 */
public final class RedisServer implements AutoCloseable {
  /** Which server. */
  public enum Kind {
    /** Redis 7.0. */
    REDIS_7_0("redis-7.0", "LEASEHOLD_TEST_REDIS_URL"),
    /** Redis 8.0. */
    REDIS_8_0("redis-8.0", "LEASEHOLD_TEST_REDIS_8_0_URL"),
    /** Valkey 8. */
    VALKEY_8("valkey-8", "LEASEHOLD_TEST_VALKEY_8_URL"),
    /** Valkey 9. */
    VALKEY_9("valkey-9", "LEASEHOLD_TEST_VALKEY_9_URL");

    private final String program;
    private final String variable;

    Kind(String program, String variable) {
      this.program = program;
      this.variable = variable;
    }

    /** Its name in {@code servers/fetch --list}. */
    public String program() {
      return program;
    }

    /** The address in the environment, if one is given. */
    Optional<URI> givenUrl() {
      return Optional.ofNullable(System.getenv(variable)).map(URI::create);
    }

    /** For what a given server cannot do. */
    RuntimeException notOurs(String what) {
      return Availability.missing(variable + " gives a server that tests do not own: " + what);
    }
  }

  private final Kind kind;
  private final RedisAccess access;
  private final Optional<ServerProcess> process;
  private final Optional<SteppableClock> clock;

  RedisServer(
      Kind kind,
      RedisAccess access,
      Optional<ServerProcess> process,
      Optional<SteppableClock> clock) {
    this.kind = kind;
    this.access = access;
    this.process = process;
    this.clock = clock;
  }

  /** To be configured and started. */
  public static RedisServerBuilder of(Kind kind) {
    return new RedisServerBuilder(kind);
  }

  /** Which server this is. */
  public Kind kind() {
    return kind;
  }

  /** Its URL for clients, with the password of the default user if that has one. */
  public String url() {
    return access.url().toString();
  }

  /** Its URL for another user. */
  public String url(String user, String password) {
    return access.as(user, password).url().toString();
  }

  /** Its URL by way of a proxy on this machine that listens there. */
  public String urlBy(int proxyPort) {
    return access.by(proxyPort).url().toString();
  }

  /** Where it is: 127.0.0.1, unless another is given. */
  public String host() {
    return access.host();
  }

  /** Where it listens. */
  public int port() {
    return access.port();
  }

  /** The file with the CA that signed its certificate; only with TLS. */
  public Path caFile() {
    return access
        .certificate()
        .orElseThrow(() -> new IllegalStateException("no tls()"))
        .certificate();
  }

  /**
   * Sends a command on a connection of its own, as the default user: see {@link RedisCli#command}.
   */
  public Object command(String... words) {
    try (RedisCli cli = cli()) {
      return cli.command(words);
    }
  }

  /** A section of INFO: see {@link RedisCli#info}. */
  public Map<String, String> info(String section) {
    try (RedisCli cli = cli()) {
      return cli.info(section);
    }
  }

  /** A connection, as the default user; the caller closes it. */
  public RedisCli cli() {
    return access.connect();
  }

  /** A connection as another user; the caller closes it. */
  public RedisCli cli(String user, String password) {
    return access.as(user, password).connect();
  }

  /** A connection by way of a proxy on this machine that listens there; the caller closes it. */
  public RedisCli cliBy(int proxyPort) {
    return access.by(proxyPort).connect();
  }

  /**
   * Steps its wall clock; it must have been started {@code withSteppableClock()}. A server that
   * keeps the time for a while, as Valkey 9 does, sees it a little later: wait for TIME.
   */
  public void stepClock(Duration step) {
    clock.orElseThrow(() -> new IllegalStateException("no withSteppableClock()")).step(step);
  }

  /** Its process: stop, kill, pause, log. */
  public ServerProcess process() {
    return process.orElseThrow(() -> kind.notOurs("it cannot be stopped, paused or looked into"));
  }

  /** See {@link ServerProcess#start()}. */
  public void start() {
    process().start();
  }

  /** See {@link ServerProcess#startEmpty()}. */
  public void startEmpty() {
    process().startEmpty();
  }

  /** See {@link ServerProcess#stop()}. */
  public void stop() {
    process().stop();
  }

  /** See {@link ServerProcess#kill()}. */
  public void kill() {
    process().kill();
  }

  /** See {@link ServerProcess#pause()}. */
  public void pause() {
    process().pause();
  }

  /** See {@link ServerProcess#resume()}. */
  public void resume() {
    process().resume();
  }

  /** Of the default user; empty for none. */
  String password() {
    return access.password();
  }

  /** Ends it and deletes what it kept. */
  @Override
  public void close() {
    process.ifPresent(ServerProcess::close);
  }

  @Override
  public String toString() {
    return kind.program();
  }
}
