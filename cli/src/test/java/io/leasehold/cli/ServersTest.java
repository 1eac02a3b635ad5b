package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.MemcachedServer;
import io.leasehold.servers.ZooKeeperServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command on each server that is no database, with each layout. */
@TestInstance(Lifecycle.PER_CLASS)
class ServersTest {
  private final ZooKeeperServer zookeeper = ZooKeeperServer.secured();
  private final EtcdServer etcd = EtcdServer.of(EtcdServer.Kind.ETCD_3_5).start();
  private final ConsulServer consul = ConsulServer.configured().start();
  private final MemcachedServer memcached = MemcachedServer.start();

  @AfterAll
  void stop() {
    zookeeper.close();
    etcd.close();
    consul.close();
    memcached.close();
  }

  private String url(String store) {
    return switch (store) {
      case "zookeeper" -> zookeeper.url();
      case "etcd" -> etcd.url();
      case "consul" -> consul.url();
      default -> memcached.url();
    };
  }

  @ParameterizedTest
  @CsvSource({
    "zookeeper, ?prefix=/own, ensemble",
    "zookeeper, ?layout=curator-mutex&prefix=/mutex, ensemble",
    "zookeeper, ?layout=curator-readwrite&prefix=/readwrite, ensemble",
    "etcd, ?prefix=own/, members",
    "etcd, ?layout=etcd&prefix=layout/, members",
    "consul, ?prefix=own/, servers",
    "consul, ?layout=consul&prefix=layout/, servers"
  })
  void allCommandsWork(String store, String parameters, String check, @TempDir Path directory) {
    Tool tool = new Tool(directory).with("LEASEHOLD_STORE", url(store) + parameters);
    Running.Result free = tool.run("who", "jobs/a");
    assertThat(free.code()).as(free.err()).isEqualTo(ExitCode.FREE);
    try (Running holder = tool.hold("jobs/a", "--ttl", "10s")) {
      assertThat(tool.run("run", "-n", "jobs/a", "--", "true").code()).isEqualTo(ExitCode.TIMEOUT);
      for (List<String> words : List.of(List.of("who", "jobs/a"), List.of("list"))) {
        Running.Result seen = tool.run(words.toArray(String[]::new));
        assertThat(seen.code()).as(seen.err()).isZero();
        assertThat(seen.out()).contains("jobs/a", "held", "/" + holder.pid() + "/");
      }
      String json = tool.run("who", "--json", "jobs/a").out();
      String token = json.replaceAll("(?s).*\"token\":\"(\\d+)\".*", "$1");
      try (Running waiter =
          tool.start("run", "--wait", "5m", "jobs/a", "--", "true").awaitSaid("waiting for")) {
        Running.Result broken = tool.run("break", "jobs/a", "--token", token);
        assertThat(broken.code()).as(broken.err()).isZero();
        Running.Result next = waiter.end();
        assertThat(next.code()).as(next.err()).isZero();
      }
      assertThat(tool.run("break", "jobs/a", "--token", token).code())
          .isEqualTo(ExitCode.NOT_CURRENT);
      assertThat(holder.end().code()).isEqualTo(ExitCode.LOST);
    }
    assertThat(tool.run("list").out()).doesNotContain("jobs/a");
    Running.Result doctor = tool.run("doctor");
    assertThat(doctor.code()).as(doctor.err()).isZero();
    assertThat(doctor.out()).contains(check, "latency");
  }

  /** A defect of {@code etcdctl lock}: its command runs on though the lease of etcd is gone. */
  @Test
  void childRunsOn(@TempDir Path directory) {
    Tool tool = new Tool(directory).with("LEASEHOLD_STORE", etcd.url() + "?prefix=child/");
    String command = "echo $$ > pid.new; mv pid.new pid; exec sleep 600";
    try (Running running = tool.start("run", "--ttl", "6s", "a", "--", "bash", "-c", command)) {
      long child = Long.parseLong(Tool.awaitContent(directory.resolve("pid")).strip());
      revokeAllLeases();
      assertThat(running.end().code()).isEqualTo(ExitCode.LOST);
      assertThat(Tool.runs(child)).isFalse();
    }
  }

  private void revokeAllLeases() {
    for (String lease : etcd.etcdctl("lease", "list")) {
      // A short one, by which a client asks for the shortest ttl, may end meanwhile
      etcd.etcdctl("lease", "timetolive", lease.matches("[0-9a-f]+") ? lease : "0").stream()
          .filter(line -> line.contains("granted with TTL(6s)"))
          .forEach(line -> etcd.etcdctl("lease", "revoke", lease));
    }
  }

  /** It has no tokens and keeps no list. */
  @Test
  void onMemcachedRunAndDoctorWorkAndTheRestSaysWhyNot(@TempDir Path directory) {
    Tool plain = new Tool(directory).with("LEASEHOLD_STORE", memcached.url());
    Running.Result refused = plain.run("run", "a", "--", "true");
    assertThat(refused.code()).isEqualTo(ExitCode.MISSING_TRAIT);
    assertThat(refused.err()).contains("--accept unfenced");

    Tool tool = new Tool(directory).with("LEASEHOLD_STORE", memcached.url() + "?accept=unfenced");
    Running.Result other =
        tool.run("run", "a", "--", Tool.root() + "/leasehold", "run", "-n", "b", "--", "echo", "x");
    assertThat(other.out()).isEqualTo("x\n");
    assertThat(other.err()).isEmpty();
    try (Running holder = tool.hold("a")) {
      assertThat(tool.run("run", "-n", "a", "--", "true").code()).isEqualTo(ExitCode.TIMEOUT);
      assertThat(holder.process().isAlive()).isTrue();
    }
    assertThat(tool.run("doctor").out()).contains("memcached 1.6", "eviction", "latency");
    for (List<String> words :
        List.of(List.of("list"), List.of("who", "a"), List.of("break", "a", "--token", "1"))) {
      Running.Result no = tool.run(words.toArray(String[]::new));
      assertThat(no.code()).isEqualTo(ExitCode.MISSING_TRAIT);
      assertThat(no.err()).contains("keeps no list").hasLineCount(1);
    }
    Running.Result once = tool.run("once", "k", "--", "true");
    assertThat(once.code()).isEqualTo(ExitCode.USAGE);
    assertThat(once.err()).contains("memcached").hasLineCount(1);
  }
}
