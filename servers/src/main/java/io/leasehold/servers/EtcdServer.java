package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.HttpsURLConnection;

/**
 * A member of an etcd cluster for tests, or a cluster of one. It writes everything down before it
 * answers: what it acknowledged outlives a kill. Its shortest ttl is one second.
 *
 * <pre>{@code
 * try (EtcdServer server = EtcdServer.of(EtcdServer.Kind.ETCD_3_5).start()) {
 *   client = connect(server.url());
 *   server.etcdctl("lease", "list");
 *   server.process().kill();
 *   server.process().start();
 * }
 * }</pre>
 */
public final class EtcdServer implements AutoCloseable {
  /** Which server. */
  public enum Kind {
    /** etcd 3.4. */
    ETCD_3_4("etcd-3.4"),
    /** etcd 3.5. */
    ETCD_3_5("etcd-3.5");

    private final String program;

    Kind(String program) {
      this.program = program;
    }

    /** Its name in {@code servers/fetch --list}. */
    public String program() {
      return program;
    }
  }

  /** What a server shall be like. */
  public static final class Builder {
    private final Kind kind;
    private final List<String> options = new ArrayList<>();
    private boolean tls;
    private boolean clientCertificates;

    private Builder(Kind kind) {
      this.kind = kind;
    }

    /** It speaks TLS only, with a certificate of its own: {@link EtcdServer#caFile()}. */
    public Builder tls() {
      tls = true;
      return this;
    }

    /** As {@link #tls}; moreover clients must show that certificate. */
    public Builder clientCertificates() {
      tls = true;
      clientCertificates = true;
      return this;
    }

    /** An option of its command line. */
    public Builder option(String option) {
      options.add(option);
      return this;
    }

    /** Starts it; returns once it answers. */
    public EtcdServer start() {
      int peerPort = Ports.free();
      String peer = "http://127.0.0.1:" + peerPort;
      EtcdServer server = new EtcdServer(this, new Peer("one", peer, peer, "one=" + peer, 0));
      server.awaitHealthy();
      return server;
    }

    /** Starts a cluster of this many; returns once all of them answer. */
    public List<EtcdServer> startCluster(int size) {
      List<Peer> peers = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        String peer = "http://127.0.0.1:" + Ports.free();
        peers.add(new Peer("m" + i, peer, peer, "", 0));
      }
      return start(peers);
    }

    /** As {@link #startCluster(int)}; its members, from 0 on, reach each other by a network. */
    public List<EtcdServer> startCluster(int size, PeerNetwork network) {
      // Among each other with TLS: that makes them open a connection of its own to each member
      option("--peer-auto-tls");
      List<Peer> peers = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        int port = Ports.free();
        network.serve(i, port);
        String known = "https://" + PeerNetwork.host(i) + ":2380";
        peers.add(new Peer("m" + i, "https://127.0.0.1:" + port, known, "", network.wayOut(i)));
      }
      return start(peers);
    }

    private List<EtcdServer> start(List<Peer> peers) {
      String all =
          peers.stream().map(each -> each.name + "=" + each.known).collect(Collectors.joining(","));
      List<EtcdServer> members = new ArrayList<>();
      for (Peer each : peers) {
        Peer one = new Peer(each.name, each.listens, each.known, all, each.proxy);
        members.add(new EtcdServer(this, one));
      }
      members.forEach(EtcdServer::awaitHealthy);
      return members;
    }
  }

  /**
   * A member for the others.
   *
   * @param listens where it listens
   * @param known where the others find it
   * @param all all members, with their names
   * @param proxy the port of a proxy by which it finds them; 0 for none
   */
  private record Peer(String name, String listens, String known, String all, int proxy) {}

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Kind kind;
  private final Path program;
  private final ServerProcess process;
  private final Optional<Certificate> certificate;

  private EtcdServer(Builder how, Peer peer) {
    kind = how.kind;
    program = Programs.server(kind.program());
    try {
      Path folder = Folders.temporary(kind.program());
      certificate = how.tls ? Optional.of(new Certificate(folder)) : Optional.empty();
      ServerProcess.Launch launch =
          (port, data) -> {
            String here = (how.tls ? "https" : "http") + "://127.0.0.1:" + port;
            List<String> command =
                new ArrayList<>(List.of(program.toString(), "--name=" + peer.name));
            command.addAll(List.of("--data-dir=" + data, "--listen-client-urls=" + here));
            command.addAll(List.of("--advertise-client-urls=" + here, "--logger=zap"));
            command.addAll(List.of("--listen-peer-urls=" + peer.listens, "--log-level=error"));
            command.add("--initial-advertise-peer-urls=" + peer.known);
            command.add("--initial-cluster=" + peer.all);
            command.addAll(List.of("--heartbeat-interval=50", "--election-timeout=500"));
            certificate.ifPresent(
                files -> {
                  command.add("--cert-file=" + files.certificate());
                  command.add("--key-file=" + files.key());
                  if (how.clientCertificates) {
                    command.add("--client-cert-auth");
                    command.add("--trusted-ca-file=" + files.certificate());
                  }
                });
            command.addAll(how.options);
            ProcessBuilder builder = new ProcessBuilder(command);
            if (peer.proxy != 0) {
              builder.environment().put("HTTPS_PROXY", "http://127.0.0.1:" + peer.proxy);
            }
            return builder;
          };
      // The first of a cluster is not healthy before there are others
      process = ServerProcess.start(folder, launch, EtcdServer::listens);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }

  /** Waits until it answers. */
  public void awaitHealthy() {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(PATIENCE)
        .until(() -> process.isAlive() && isHealthy());
  }

  private boolean isHealthy() {
    try {
      return page("/health").contains("\"true\"");
    } catch (IOException notYet) {
      return false;
    }
  }

  private String page(String path) throws IOException {
    URI uri = URI.create(httpUrl() + path);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(2_000);
    connection.setReadTimeout(2_000);
    if (certificate.isPresent() && connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(certificate.get().trusting().getSocketFactory());
    }
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      connection.disconnect();
    }
  }

  /**
   * The value of a metric, summed over its labels; 0 if it is not there.
   *
   * @param labels only of lines with all of these texts
   */
  public double metric(String name, String... labels) {
    try {
      return page("/metrics")
          .lines()
          .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
          .filter(line -> List.of(labels).stream().allMatch(line::contains))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it leads its cluster, as it thinks. */
  public boolean isLeader() {
    return metric("etcd_server_is_leader") == 1;
  }

  /** Runs etcdctl on this server; yields the lines of its output. */
  public List<String> etcdctl(String... words) {
    try {
      Process process = etcdctlCommand(List.of(words)).redirectErrorStream(true).start();
      process.getOutputStream().close();
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .toList();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("etcdctl failed: " + String.join("; ", lines));
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in etcdctl", e);
    }
  }

  /** Starts {@code etcdctl lock} with these words; it holds the lock until it ends. */
  public LockTool etcdctlLock(String... words) {
    List<String> all = new ArrayList<>(List.of("lock"));
    all.addAll(List.of(words));
    return LockTool.start(etcdctlCommand(all));
  }

  private ProcessBuilder etcdctlCommand(List<String> words) {
    String name = String.valueOf(program.getFileName()).replace("etcd", "etcdctl");
    List<String> command = new ArrayList<>(List.of(program.resolveSibling(name).toString()));
    command.add("--endpoints=" + httpUrl());
    certificate.ifPresent(
        files -> {
          command.add("--cacert=" + files.certificate());
          command.add("--cert=" + files.certificate());
          command.add("--key=" + files.key());
        });
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("ETCDCTL_API", "3");
    return builder;
  }

  private String httpUrl() {
    return (certificate.isPresent() ? "https" : "http") + "://127.0.0.1:" + process.port();
  }

  /** Its URL for clients. */
  public String url() {
    return url(List.of(this));
  }

  /** The URL of a cluster for clients. */
  public static String url(List<EtcdServer> members) {
    return (members.get(0).certificate.isPresent() ? "etcds" : "etcd")
        + "://"
        + members.stream()
            .map(each -> "127.0.0.1:" + each.process.port())
            .collect(Collectors.joining(","));
  }

  /** Its URL by way of a proxy on this machine that listens there. */
  public String urlBy(int proxyPort) {
    return url().replace(":" + process.port(), ":" + proxyPort);
  }

  /** Where it listens. */
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

  /** Steps its wall clock by whole seconds, until it ends. On x86-64; else the test is aborted. */
  public void stepClock(Duration step) {
    VdsoClock.step(process, step);
  }

  /** Its process: stop, kill, pause, log; a start returns when it listens. */
  public ServerProcess process() {
    return process;
  }

  /** Ends it and deletes what it kept. */
  @Override
  public void close() {
    process.close();
  }

  @Override
  public String toString() {
    return kind.program();
  }

  /** To be configured and started. */
  public static Builder of(Kind kind) {
    return new Builder(kind);
  }
}
