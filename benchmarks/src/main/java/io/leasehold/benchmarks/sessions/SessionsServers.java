package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One server for everybody, and one for who is counted. They wait for the disk before they answer,
 * and their times are those that each has by default.
 *
 * @param version of both
 * @param url of the one
 * @param quietUrl of the other
 * @param requests how many the other has had so far
 * @param end ends both
 */
public record SessionsServers(
    String version, String url, String quietUrl, DoubleSupplier requests, Runnable end)
    implements Server {
  /** Starts one ZooKeeper server. */
  public static ZooKeeperServer zooKeeperServer() {
    return zooKeeperServer("-Dzookeeper.forceSync=yes");
  }

  private static ZooKeeperServer zooKeeperServer(String sync) {
    return ZooKeeperServer.start("-XX:TieredStopAtLevel=4", "-Xmx512m", sync, "tickTime=2000");
  }

  /** Starts one etcd server. */
  public static EtcdServer etcdServer() {
    return EtcdServer.of(EtcdServer.Kind.ETCD_3_5)
        .option("--heartbeat-interval=100")
        .option("--election-timeout=1000")
        .start();
  }

  /** Starts one Consul server. */
  public static ConsulServer consulServer() {
    // All processes of a run are one client to it
    return ConsulServer.configured().config("limits { http_max_conns_per_client = 2000 }").start();
  }

  static SessionsServers zooKeeper() {
    return of(zooKeeperServer(), zooKeeperServer());
  }

  /** These do not wait for the disk, which answers late when others write much. */
  static SessionsServers zooKeeperWithoutSync() {
    String sync = "-Dzookeeper.forceSync=no";
    return of(zooKeeperServer(sync), zooKeeperServer(sync));
  }

  private static SessionsServers of(ZooKeeperServer shared, ZooKeeperServer quiet) {
    return new SessionsServers(
        versionOf(shared),
        shared.url(),
        quiet.url(),
        () -> Double.parseDouble(find("Received: (\\d+)", quiet.ask("srvr"))),
        () -> {
          quiet.close();
          shared.close();
        });
  }

  static SessionsServers etcd() {
    EtcdServer shared = etcdServer();
    EtcdServer quiet = etcdServer();
    return new SessionsServers(
        versionOf(shared),
        shared.url(),
        quiet.url(),
        () -> quiet.metric("grpc_server_msg_received_total"),
        () -> {
          quiet.close();
          shared.close();
        });
  }

  static SessionsServers consul() {
    ConsulServer shared = consulServer();
    ConsulServer quiet = consulServer();
    FaultProxy proxy = FaultProxy.to("127.0.0.1", quiet.port(), Framing.HTTP);
    return new SessionsServers(
        versionOf(shared),
        shared.url(),
        quiet.urlBy(proxy.port()),
        proxy::requests,
        () -> {
          proxy.close();
          quiet.close();
          shared.close();
        });
  }

  /** Of a ZooKeeper server. */
  public static String versionOf(ZooKeeperServer server) {
    return "ZooKeeper " + find("version: ([\\d.]+)", server.ask("srvr"));
  }

  /** Of an etcd server. */
  public static String versionOf(EtcdServer server) {
    return "etcd " + find(", ([\\d.]+), ", String.join(" ", server.etcdctl("endpoint", "status")));
  }

  /** Of a Consul server. */
  public static String versionOf(ConsulServer server) {
    return "Consul " + find("\"Version\": *\"([^\"]+)", server.get("/v1/agent/self"));
  }

  private static String find(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in " + text);
    }
    return matcher.group(1);
  }

  /** To ask is a request too, for some. */
  @Override
  public Counts count(Work work) throws InterruptedException {
    double first = requests.getAsDouble();
    double before = requests.getAsDouble();
    work.run();
    double after = requests.getAsDouble();
    return new Counts(Map.of("requests", after - before - (before - first)));
  }

  @Override
  public void close() {
    end.run();
  }
}
