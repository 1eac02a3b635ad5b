package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replicas: what an asynchronous failover breaks, and what protects the data then. */
class FailoverTest extends ServerTest {
  private FaultProxy replication;
  private RedisServer replica;

  FailoverTest() {
    super(RedisServer.of(Kind.VALKEY_8));
    replication = FaultProxy.to(server.host(), server.port(), Framing.NONE);
    replica = startReplica();
  }

  private RedisServer startReplica() {
    return RedisServer.of(Kind.VALKEY_8)
        .config("replicaof 127.0.0.1 " + replication.port())
        .start();
  }

  @BeforeEach
  void begin() {
    if (!server.process().isAlive()) {
      server.start();
      replica.close();
      replication.close();
      replication = FaultProxy.to(server.host(), server.port(), Framing.NONE);
      replica = startReplica();
    }
    await()
        .atMost(PATIENCE)
        .until(() -> "up".equals(replica.info("replication").get("master_link_status")));
  }

  @AfterEach
  void goOn() {
    replica.resume();
  }

  @org.junit.jupiter.api.AfterAll
  void closeReplica() {
    replica.close();
    replication.close();
  }

  /** Data that keeps the highest token of those who wrote it. */
  private static final class Ledger {
    private long highest;

    synchronized boolean write(Lease lease) {
      boolean accepted = lease.fencingToken() >= highest;
      highest = Math.max(highest, lease.fencingToken());
      return accepted;
    }
  }

  @Test
  void acknowledgedButNotReplicatedThereAreTwoHoldersAndTheDataRefusesTheFirst() throws Exception {
    Engine client = client();
    client.lock("a").acquire().release();
    await().atMost(PATIENCE).until(() -> replicated("number") == 1 && replicated("name:a") == 0);
    replication.drop(Direction.TO_CLIENT);
    Lease first = client.lock("a").acquire();
    server.kill();
    replication.cutAll();
    replica.command("REPLICAOF", "NO", "ONE");
    Lease second = clientAt(replica.url(), how -> how).lock("a").acquire(PATIENCE);
    assertThat(first.isHeld()).as("it cannot know").isTrue();
    assertThat(second.isHeld()).isTrue();
    Ledger data = new Ledger();
    assertThat(data.write(second)).isTrue();
    assertThat(data.write(first)).isFalse();
    assertThat(data.write(second)).isTrue();
  }

  @Test
  void whatWasReplicatedOutlivesTheFailover() throws Exception {
    Engine client = client();
    Lease held = client.lock("a").acquire();
    await().atMost(PATIENCE).until(() -> replicated("name:a") == 1);
    server.kill();
    replica.command("REPLICAOF", "NO", "ONE");
    Engine there = clientAt(replica.url(), how -> how);
    assertThat(there.lock("a").tryAcquire()).isEmpty();
    assertThat(there.lock("a").breakLease(held.fencingToken())).isTrue();
    Lease next = there.lock("a").acquire(PATIENCE);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void replicasAreDiagnosed() {
    assertThat(finding(client(), "replicas"))
        .satisfies(
            found -> assertThat(found.level()).isEqualTo(Level.WARNING),
            found -> assertThat(found.detail()).contains("failover", "min-replicas-to-write 0"));
  }

  @Test
  void aReadOnlyReplicaIsUnavailableAndDiagnosed() {
    Engine client = clientAt(replica.url(), how -> how);
    assertThatThrownBy(() -> client.lock("a").tryAcquire())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("replica");
    assertThat(finding(client, "role"))
        .satisfies(
            found -> assertThat(found.level()).isEqualTo(Level.ERROR),
            found -> assertThat(found.detail()).contains("" + replication.port()));
  }

  /** How many keys of this test the replica has that end so. */
  private int replicated(String end) {
    return ((List<?>) replica.command("KEYS", prefix() + "*:" + end)).size();
  }

  private static Finding finding(Engine client, String check) {
    return client.diagnose().stream().filter(f -> f.check().equals(check)).findAny().orElseThrow();
  }

  /** Redisson: each lock and unlock took over a second while one replica of two stood still. */
  @Test
  void aFrozenReplicaKeepsNobodyWaiting() throws Exception {
    Engine client = client();
    client.lock("a").acquire().release();
    replica.pause();
    CommandCounts counts = CommandCounts.from(server);
    long begin = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      client.lock("a").acquire().release();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    assertThat(counts.all()).doesNotContainKeys("wait", "waitaof");
  }
}
