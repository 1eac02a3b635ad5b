package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A ZooKeeper server for tests, alone or in an ensemble, in a JVM of its own. The test that starts
 * it has the server on its class path: {@code org.apache.zookeeper:zookeeper}, {@code
 * io.dropwizard.metrics:metrics-core} and {@code org.xerial.snappy:snappy-java}.
 *
 * <p>Its tick is 200 ms, and it takes sessions of any timeout from 400 ms to an hour.
 */
public final class ZooKeeperServer implements AutoCloseable {
  /** The unit of a server's time. */
  public static final Duration TICK = Duration.ofMillis(200);

  private static final String MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
  private static final int ANSWER_MILLIS = 2_000;

  private final ServerProcess process;

  private final Optional<Secured> secured;
  private final Optional<SteppableClock> clock;

  private ZooKeeperServer(
      ServerProcess process, Optional<Secured> secured, Optional<SteppableClock> clock) {
    this.process = process;
    this.secured = secured;
    this.clock = clock;
  }

  /** Where it speaks TLS, and with what. */
  private record Secured(int port, Certificate certificate) {
    List<String> settings() {
      return List.of(
          "secureClientPort=" + port,
          "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
          "ssl.keyStore.location=" + certificate.store(),
          "ssl.keyStore.password=changeit",
          "ssl.trustStore.location=" + certificate.certificate(),
          "ssl.trustStore.type=PEM",
          "ssl.clientAuth=need");
    }
  }

  /**
   * Starts one that is alone.
   *
   * @param settings lines of its configuration, or options of its JVM that begin with a hyphen;
   *     they replace ours
   */
  public static ZooKeeperServer start(String... settings) {
    return start(List.of(settings), 0, false, false);
  }

  /** As {@link #start}; its wall clock can be stepped. */
  public static ZooKeeperServer startWithSteppableClock() {
    return start(List.of(), 0, false, true);
  }

  /**
   * As {@link #start}; it has another port too, with TLS, for clients that show its certificate:
   * {@link #caFile()}, {@link #keyFile()}.
   */
  public static ZooKeeperServer secured(String... settings) {
    return start(List.of(settings), 0, true, false);
  }

  /** Where one server of an ensemble reaches another, so that a proxy can stand between them. */
  @FunctionalInterface
  public interface Way {
    /**
     * The port to connect to.
     *
     * @param from the number of the server that connects, from 1
     * @param to the number of the other one, which listens on this port
     */
    int port(int from, int to, int port);
  }

  /** Starts so many that are an ensemble; returns once it serves. */
  public static List<ZooKeeperServer> ensemble(int size) {
    return ensemble(size, (from, to, port) -> port);
  }

  /** As {@link #ensemble(int)}, with this way between each two of them. */
  public static List<ZooKeeperServer> ensemble(int size, Way way) {
    int[] quorum = IntStream.range(0, size).map(i -> Ports.free()).toArray();
    int[] election = IntStream.range(0, size).map(i -> Ports.free()).toArray();
    List<ZooKeeperServer> servers = new ArrayList<>();
    try {
      for (int id = 1; id <= size; id++) {
        List<String> lines = new ArrayList<>();
        for (int to = 1; to <= size; to++) {
          int forQuorum = to == id ? quorum[id - 1] : way.port(id, to, quorum[to - 1]);
          int forElection = to == id ? election[id - 1] : way.port(id, to, election[to - 1]);
          lines.add("server." + to + "=127.0.0.1:" + forQuorum + ":" + forElection);
        }
        servers.add(start(lines, id, false, false));
      }
      servers.forEach(ZooKeeperServer::awaitServing);
      return servers;
    } catch (RuntimeException e) {
      servers.forEach(ZooKeeperServer::close);
      throw e;
    }
  }

  /** The addresses of servers as a URL for clients. */
  public static String url(List<ZooKeeperServer> servers) {
    return servers.stream()
        .map(each -> "127.0.0.1:" + each.port())
        .collect(Collectors.joining(",", "zookeeper://", ""));
  }

  private static ZooKeeperServer start(
      List<String> settings, int id, boolean tls, boolean steppable) {
    try {
      Path folder = Folders.temporary("zookeeper");
      Optional<Secured> secured =
          tls ? Optional.of(new Secured(Ports.free(), new Certificate(folder))) : Optional.empty();
      List<String> all = new ArrayList<>(settings);
      secured.ifPresent(made -> all.addAll(made.settings()));
      Optional<SteppableClock> clock =
          steppable ? Optional.of(new SteppableClock(folder)) : Optional.empty();
      ServerProcess.Launch launch =
          (port, data) -> {
            ProcessBuilder builder = launch(folder, port, data, all, id);
            clock.ifPresent(made -> made.addTo(builder.environment()));
            return builder;
          };
      // One of an ensemble serves once most of the others are there
      String question = id == 0 ? "srvr" : "ruok";
      String answer = id == 0 ? "Mode: " : "imok";
      return new ZooKeeperServer(
          ServerProcess.start(folder, launch, port -> ask(port, question).contains(answer)),
          secured,
          clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ProcessBuilder launch(
      Path folder, int port, Path data, List<String> settings, int id) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("tickTime=" + TICK.toMillis());
    lines.add("initLimit=50");
    lines.add("syncLimit=5");
    lines.add("minSessionTimeout=" + TICK.multipliedBy(2).toMillis());
    lines.add("maxSessionTimeout=" + Duration.ofHours(1).toMillis());
    lines.add("maxClientCnxns=0");
    lines.add("clientPort=" + port);
    lines.add("clientPortAddress=127.0.0.1");
    lines.add("dataDir=" + data);
    lines.add("admin.enableServer=false");
    lines.add("4lw.commands.whitelist=*");
    lines.addAll(settings.stream().filter(line -> !line.startsWith("-")).toList());
    Path file = folder.resolve("zoo.cfg");
    Files.write(file, lines);
    if (id > 0) {
      Files.writeString(data.resolve("myid"), String.valueOf(id));
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    // What it has answered outlives a kill by the page cache
    command.add("-Dzookeeper.forceSync=no");
    command.add("-Dznode.container.checkIntervalMs=" + TICK.multipliedBy(5).toMillis());
    command.addAll(settings.stream().filter(line -> line.startsWith("-")).toList());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(List.of(MAIN, file.toString()));
    return new ProcessBuilder(command);
  }

  private static String ask(int port, String question) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(question.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** Asks by a command of four letters. */
  public String ask(String question) {
    try {
      return ask(port(), question);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What it is in its ensemble: standalone, leader, follower; empty if it does not serve. */
  public String mode() {
    try {
      return ask(port(), "srvr")
          .lines()
          .filter(line -> line.startsWith("Mode: "))
          .map(line -> line.substring("Mode: ".length()))
          .findAny()
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  /** Waits until it serves. */
  public void awaitServing() {
    await("a server that serves").atMost(Duration.ofSeconds(90)).until(() -> !mode().isEmpty());
  }

  /** Its URL for clients. */
  public String url() {
    return url(List.of(this));
  }

  private Secured requireSecured() {
    return secured.orElseThrow(() -> new IllegalStateException("not secured()"));
  }

  /** Its URL for clients with TLS. */
  public String securedUrl() {
    return "zookeepers://127.0.0.1:" + requireSecured().port;
  }

  /** The file with the CA that signed its certificate. */
  public Path caFile() {
    return requireSecured().certificate.certificate();
  }

  /** The file with the key of that certificate. */
  public Path keyFile() {
    return requireSecured().certificate.key();
  }

  /** Where it listens, on 127.0.0.1. */
  public int port() {
    return process.port();
  }

  /** Steps its wall clock; it must have been started {@link #startWithSteppableClock()}. */
  public void stepClock(Duration step) {
    clock.orElseThrow(() -> new IllegalStateException("no steppable clock")).step(step);
  }

  /** Its process: stop, kill, pause, start again. */
  public ServerProcess process() {
    return process;
  }

  /** Kills it and deletes its data. */
  @Override
  public void close() {
    process.close();
  }
}
