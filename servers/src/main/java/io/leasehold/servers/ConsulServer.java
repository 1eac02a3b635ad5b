package io.leasehold.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Consul server for tests, which keeps what it acknowledged, and is its own agent.
 *
 * <pre>{@code
 * try (ConsulServer server = ConsulServer.configured().start()) {
 *   client = connect(server.url());
 *   server.kill();
 *   server.start();
 *   server.get("/v1/session/list");
 * }
 * }</pre>
 */
public final class ConsulServer implements AutoCloseable {
  /** What may do everything, where there are ACLs. */
  public static final String MANAGEMENT = "00000000-1111-2222-3333-444444444444";

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int OK = 200;

  private final ServerProcess process;
  private final Optional<Certificate> certificate;
  private final HttpClient http;

  ConsulServer(ServerProcess process, Optional<Certificate> certificate, HttpClient http) {
    this.process = process;
    this.certificate = certificate;
    this.http = http;
  }

  /** To be configured and started. */
  public static ConsulServerBuilder configured() {
    return new ConsulServerBuilder();
  }

  /** Its URL for clients, without a token. */
  public String url() {
    return urlBy(process.port());
  }

  /** Its URL by way of a proxy on this machine that listens there. */
  public String urlBy(int proxyPort) {
    return (certificate.isPresent() ? "consuls" : "consul") + "://127.0.0.1:" + proxyPort;
  }

  /** Where it listens, on 127.0.0.1. */
  public int port() {
    return process.port();
  }

  /** The file with the CA that signed its certificate; only with TLS. */
  public Path caFile() {
    return certificate.orElseThrow(() -> new IllegalStateException("no tls()")).certificate();
  }

  /** The file with the key of that certificate. */
  public Path keyFile() {
    return certificate.orElseThrow(() -> new IllegalStateException("no tls()")).key();
  }

  /** Asks it, as one who may do everything. */
  public String get(String path) {
    return send("GET", path, "");
  }

  /** Deletes something, as one who may do everything. */
  public void delete(String path) {
    send("DELETE", path, "");
  }

  /** Tells it something, as one who may do everything. */
  public String put(String path, String body) {
    return send("PUT", path, body);
  }

  private String send(String method, String path, String body) {
    try {
      return send(http, certificate.isPresent(), process.port(), method, path, body);
    } catch (IOException e) {
      throw new IllegalStateException("Consul does not answer " + path, e);
    }
  }

  static String send(
      HttpClient http, boolean tls, int port, String method, String path, String body)
      throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create((tls ? "https" : "http") + "://127.0.0.1:" + port + path))
            .timeout(PATIENCE)
            .header("X-Consul-Token", MANAGEMENT)
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() != OK) {
        throw new IOException(path + ": " + response.statusCode() + " " + response.body());
      }
      return response.body().strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Starts {@code consul lock} with these options, which holds the lock until it ends. */
  public LockTool consulLock(String prefix, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Programs.server("consul-1.8").toString());
    String scheme = certificate.isPresent() ? "https" : "http";
    command.addAll(List.of("lock", "-http-addr=" + scheme + "://127.0.0.1:" + process.port()));
    certificate.ifPresent(
        files -> {
          command.add("-ca-file=" + files.certificate());
          command.add("-client-cert=" + files.certificate());
          command.add("-client-key=" + files.key());
        });
    command.addAll(List.of(options));
    // What it starts ends with its input
    command.addAll(List.of("-pass-stdin", "-shell=false", prefix, "sh", "-c", "echo; exec cat"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CONSUL_HTTP_TOKEN", MANAGEMENT);
    return LockTool.start(builder);
  }

  /** Whether it is the leader of its servers. */
  public boolean isLeader() {
    return get("/v1/agent/self").matches("(?s).*\"leader\": *\"true\".*");
  }

  /** Steps its wall clock by whole seconds, until it ends. On x86-64; else the test is aborted. */
  public void stepClock(Duration step) {
    VdsoClock.step(process, step);
  }

  /** Its process: stop, kill, pause, log. */
  public ServerProcess process() {
    return process;
  }

  /** See {@link ServerProcess#start()}. */
  public void start() {
    process.start();
  }

  /** See {@link ServerProcess#startEmpty()}. */
  public void startEmpty() {
    process.startEmpty();
  }

  /** See {@link ServerProcess#kill()}. */
  public void kill() {
    process.kill();
  }

  /** See {@link ServerProcess#pause()}. */
  public void pause() {
    process.pause();
  }

  /** See {@link ServerProcess#resume()}. */
  public void resume() {
    process.resume();
  }

  /** Ends it and deletes what it kept. */
  @Override
  public void close() {
    process.close();
  }
}
