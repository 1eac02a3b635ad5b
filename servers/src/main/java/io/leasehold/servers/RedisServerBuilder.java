package io.leasehold.servers;

import io.leasehold.servers.RedisCli.RedisError;
import io.leasehold.servers.RedisServer.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a {@link RedisServer} shall be like. */
public final class RedisServerBuilder {
  private final Kind kind;
  private final List<String> lines = new ArrayList<>();
  private String password = "";
  private boolean tls;
  private boolean steppable;
  private boolean sentinel;

  RedisServerBuilder(Kind kind) {
    this.kind = kind;
  }

  /** It writes everything down before it answers: what it acknowledged outlives a kill. */
  public RedisServerBuilder persistent() {
    return config("appendonly yes").config("appendfsync always");
  }

  /** The default user has a password. */
  public RedisServerBuilder password(String newPassword) {
    password = newPassword;
    return config("requirepass " + quoted(newPassword));
  }

  /**
   * There is another user.
   *
   * @param rules as in ACL SETUSER, for example {@code ~lock:* +@all}
   */
  public RedisServerBuilder user(String name, String userPassword, String rules) {
    return config("user " + name + " on " + quoted(">" + userPassword) + " " + rules);
  }

  /** It speaks TLS only, with a certificate of its own: {@link RedisServer#caFile()}. */
  public RedisServerBuilder tls() {
    tls = true;
    return this;
  }

  /** It follows another, which must not speak TLS. INFO tells when it has caught up. */
  public RedisServerBuilder replicaOf(RedisServer primary) {
    config("replicaof 127.0.0.1 " + primary.port());
    return primary.password().isEmpty() ? this : config("masterauth " + quoted(primary.password()));
  }

  /** It is a Sentinel. */
  RedisServerBuilder sentinel() {
    sentinel = true;
    return this;
  }

  /** {@link RedisServer#stepClock} works. */
  public RedisServerBuilder withSteppableClock() {
    steppable = true;
    return this;
  }

  /** A line of its configuration file. */
  public RedisServerBuilder config(String line) {
    lines.add(line);
    return this;
  }

  /** Starts it; returns once it answers. */
  public RedisServer start() {
    Optional<URI> given = kind.givenUrl();
    if (given.isPresent()) {
      if (tls || steppable || !lines.isEmpty()) {
        throw kind.notOurs("it cannot be configured");
      }
      return new RedisServer(
          kind, RedisAccess.given(given.get()), Optional.empty(), Optional.empty());
    }
    String program = Programs.server(kind.program()).toString();
    try {
      Path folder = Folders.temporary(kind.program());
      Optional<Certificate> certificate =
          tls ? Optional.of(new Certificate(folder)) : Optional.empty();
      Optional<SteppableClock> clock =
          steppable ? Optional.of(new SteppableClock(folder)) : Optional.empty();
      ServerProcess.Launch launch =
          (port, data) -> {
            Path file = folder.resolve("server.conf");
            Files.write(file, configuration(port, certificate));
            ProcessBuilder builder = new ProcessBuilder(program, file.toString());
            if (sentinel) {
              builder.command().add("--sentinel");
            }
            clock.ifPresent(c -> c.addTo(builder.environment()));
            return builder;
          };
      ServerProcess process =
          ServerProcess.start(folder, launch, port -> answers(access(port, certificate)));
      return new RedisServer(
          kind, access(process.port(), certificate), Optional.of(process), clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private RedisAccess access(int port, Optional<Certificate> certificate) {
    return RedisAccess.local(port, password, certificate);
  }

  private List<String> configuration(int port, Optional<Certificate> certificate) {
    List<String> all = new ArrayList<>();
    all.add("bind 127.0.0.1");
    if (!sentinel) {
      all.addAll(List.of("save \"\"", "enable-debug-command local", "repl-diskless-sync-delay 0"));
    }
    certificate.ifPresentOrElse(
        tlsFiles -> {
          all.addAll(List.of("port 0", "tls-port " + port, "tls-auth-clients no"));
          all.add("tls-ca-cert-file " + quoted(tlsFiles.certificate().toString()));
          all.add("tls-cert-file " + quoted(tlsFiles.certificate().toString()));
          all.add("tls-key-file " + quoted(tlsFiles.key().toString()));
        },
        () -> all.add("port " + port));
    all.addAll(lines);
    return all;
  }

  /** A server that still reads its data refuses to answer. */
  private static boolean answers(RedisAccess access) throws IOException {
    try (RedisCli cli = access.connect()) {
      return cli.command("PING").equals("PONG");
    } catch (RedisError notYet) {
      return false;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
