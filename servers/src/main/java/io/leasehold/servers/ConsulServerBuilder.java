package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a {@link ConsulServer} shall be like. */
public final class ConsulServerBuilder {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final int THREE = 3;

  private final List<String> settings = new ArrayList<>();
  private boolean tls;

  ConsulServerBuilder() {
    // The least of a production setup, on one machine
    config("performance { raft_multiplier = 1 }");
    config("disable_update_check = true");
    config("leave_on_terminate = false");
    // A server that joins late votes at once; one that is killed stays one of them
    config("autopilot { server_stabilization_time = \"100ms\" cleanup_dead_servers = false }");
  }

  /** A part of its configuration, in HCL. */
  public ConsulServerBuilder config(String hcl) {
    settings.add(hcl);
    return this;
  }

  /** Sessions may be this short; else 10 s. */
  public ConsulServerBuilder shortestTtl(Duration ttl) {
    return config("session_ttl_min = \"" + ttl.toMillis() + "ms\"");
  }

  /** It answers only with a token: {@link ConsulServer#MANAGEMENT}. */
  public ConsulServerBuilder acl() {
    return config(
        "acl { enabled = true default_policy = \"deny\" tokens { master = \""
            + ConsulServer.MANAGEMENT
            + "\" agent = \""
            + ConsulServer.MANAGEMENT
            + "\" } }");
  }

  /** It speaks TLS only, with a certificate of its own: {@link ConsulServer#caFile()}. */
  public ConsulServerBuilder tls() {
    tls = true;
    return this;
  }

  /** As {@link #tls}; moreover clients must show that certificate. */
  public ConsulServerBuilder clientCertificates() {
    return tls().config("verify_incoming_https = true");
  }

  /** Starts one; returns once it has a leader, which is itself. */
  public ConsulServer start() {
    return start(new Peer("127.0.0.1", "127.0.0.1"), "bootstrap_expect = 1", true);
  }

  /** Starts three that are one; returns once all vote, and each of them makes sessions. */
  public List<ConsulServer> startThree() {
    return startThree(
        Stream.generate(() -> new Peer("127.0.0.1", "127.0.0.1")).limit(THREE).toList());
  }

  /** As {@link #startThree()}; they, from 0 on, reach each other by a network. */
  public List<ConsulServer> startThree(PeerNetwork network) {
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < THREE; i++) {
      Peer peer = new Peer("127.0.1." + (1 + i), "127.0.2." + (1 + i));
      network.relay(peer.known, i, peer.binds, peer.ports(), "127.0.1.");
      peers.add(peer);
    }
    return startThree(peers);
  }

  private List<ConsulServer> startThree(List<Peer> peers) {
    String join =
        peers.stream()
            .map(each -> "\"" + each.known + ":" + each.lan + "\"")
            .collect(Collectors.joining(", ", "retry_join = [", "]"));
    String bootstrap = "bootstrap_expect = 3\nretry_interval = \"100ms\"\n" + join;
    List<ConsulServer> servers = new ArrayList<>();
    HttpClient http = HttpClient.newHttpClient();
    try {
      for (Peer each : peers) {
        servers.add(start(each, bootstrap, false));
      }
      for (ConsulServer each : servers) {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> makesSessions(http, each.port()));
      }
      await().atMost(PATIENCE).ignoreExceptions().until(() -> allVote(servers.get(0)));
      return servers;
    } catch (RuntimeException e) {
      servers.forEach(ConsulServer::close);
      throw e;
    }
  }

  private static boolean allVote(ConsulServer server) {
    String all = server.get("/v1/operator/raft/configuration");
    return Pattern.compile("\"Voter\": *true").matcher(all).results().count() == THREE;
  }

  /** A server for the others: the address that it has, the one that they dial, and its ports. */
  private record Peer(String binds, String known, int rpc, int lan, int wan) {
    Peer(String binds, String known) {
      this(binds, known, Ports.free(), Ports.free(), Ports.free());
    }

    List<Integer> ports() {
      return List.of(rpc, lan);
    }
  }

  private ConsulServer start(Peer peer, String bootstrap, boolean alone) {
    String program = Programs.server("consul-1.8").toString();
    try {
      Path folder = Folders.temporary("consul-1.8");
      Optional<Certificate> certificate =
          tls ? Optional.of(new Certificate(folder)) : Optional.empty();
      HttpClient.Builder http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
      certificate.ifPresent(made -> http.sslContext(made.trusting()));
      HttpClient client = http.build();
      ServerProcess process =
          ServerProcess.start(
              folder,
              (port, data) -> {
                Path file = folder.resolve("server.hcl");
                List<String> all = new ArrayList<>(settings);
                all.add(bootstrap);
                all.add(ports(port, peer));
                all.add("node_name = \"node-" + peer.lan + "\"");
                all.add("data_dir = \"" + data + "\"");
                certificate.ifPresent(made -> all.addAll(files(made)));
                Files.write(file, all);
                return new ProcessBuilder(
                    program,
                    "agent",
                    "-server",
                    "-bind=" + peer.binds,
                    "-advertise=" + peer.known,
                    "-client=127.0.0.1 127.0.0.2",
                    "-config-file=" + file);
              },
              port -> answers(client, port, alone));
      return new ConsulServer(process, certificate, client);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String ports(int port, Peer peer) {
    return String.format(
        Locale.ROOT,
        "ports { %s = %d %s = -1 dns = -1 grpc = -1 server = %d serf_lan = %d serf_wan = %d }",
        tls ? "https" : "http",
        port,
        tls ? "http" : "https",
        peer.rpc,
        peer.lan,
        peer.wan);
  }

  private static List<String> files(Certificate certificate) {
    return List.of(
        "ca_file = \"" + certificate.certificate() + "\"",
        "cert_file = \"" + certificate.certificate() + "\"",
        "key_file = \"" + certificate.key() + "\"");
  }

  /** One of several answers before the others are there. */
  private boolean answers(HttpClient http, int port, boolean alone) throws IOException {
    return alone
        ? makesSessions(http, port)
        : !ConsulServer.send(http, tls, port, "GET", "/v1/status/leader", "").isEmpty();
  }

  /** It has a leader, and its node is known. */
  private boolean makesSessions(HttpClient http, int port) throws IOException {
    String made = ConsulServer.send(http, tls, port, "PUT", "/v1/session/create", "{}");
    String id = made.replaceAll("(?s).*\"ID\": *\"([^\"]*)\".*", "$1");
    ConsulServer.send(http, tls, port, "PUT", "/v1/session/destroy/" + id, "");
    return true;
  }
}
