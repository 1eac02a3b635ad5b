package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisCli.Nil;
import io.leasehold.servers.RedisCli.RedisError;
import io.leasehold.servers.RedisServer.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 10, unit = TimeUnit.MINUTES) // a first run fetches the servers
class RedisServerTest {
  @ParameterizedTest
  @EnumSource
  void startsAnswersAndEndsWithoutTrace(Kind kind) {
    RedisServer server = RedisServer.of(kind).start();
    long pid = server.process().pid();
    assertThat(server.command("SET", "k", "é\r\n")).isEqualTo("OK");
    assertThat(server.command("GET", "k")).isEqualTo("é\r\n");
    assertThat(server.command("GET", "other")).isEqualTo(Nil.NIL);
    assertThat(server.command("INCR", "n")).isEqualTo(1L);
    assertThat(server.command("MGET", "k", "n")).isEqualTo(List.of("é\r\n", "1"));
    assertThat(server.info("commandstats").get("cmdstat_get")).startsWith("calls=2,");
    assertThatThrownBy(() -> server.command("INCR", "k")).isInstanceOf(RedisError.class);

    assertThat(ProcessHandle.of(pid)).isPresent();
    server.stop();
    assertThat(ProcessHandle.of(pid)).isEmpty();
    server.close();
    assertThat(server.process().data().getParent()).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  void isTheVersionThatItsNameSays(Kind kind) {
    try (RedisServer server = RedisServer.of(kind).start()) {
      String field = kind.name().startsWith("REDIS") ? "redis_version" : "valkey_version";
      String version = kind.program().substring(kind.program().indexOf('-') + 1) + ".";
      assertThat(server.info("server").get(field)).startsWith(version);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKillLosesWhatIsNotPersistent(Kind kind) {
    try (RedisServer server = RedisServer.of(kind).start()) {
      server.command("SET", "k", "v");
      int port = server.port();
      long pid = server.process().pid();
      server.kill();
      assertThat(ProcessHandle.of(pid)).isEmpty();
      server.start();
      assertThat(server.port()).isEqualTo(port);
      assertThat(server.command("GET", "k")).isEqualTo(Nil.NIL);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPersistentOneKeepsItsDataUnlessStartedEmpty(Kind kind) {
    try (RedisServer server = RedisServer.of(kind).persistent().start()) {
      server.command("SET", "k", "v");
      server.kill();
      server.start();
      assertThat(server.command("GET", "k")).isEqualTo("v");
      server.stop();
      server.startEmpty();
      assertThat(server.command("GET", "k")).isEqualTo(Nil.NIL);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPausedOneAnswersOnceItIsResumed(Kind kind) throws IOException {
    try (RedisServer server = RedisServer.of(kind).start();
        RedisCli cli = server.cli()) {
      server.pause();
      cli.send("PING");
      assertThat(cli.isSilentFor(Duration.ofMillis(200))).isTrue();
      server.resume();
      assertThat(cli.read()).isEqualTo("PONG");
    }
  }

  @Test
  void aPausedOneCanBeStopped() {
    try (RedisServer server = RedisServer.of(Kind.REDIS_7_0).start()) {
      server.pause();
      server.stop();
      assertThat(server.process().isAlive()).isFalse();
      server.start();
      server.pause();
    }
  }

  @ParameterizedTest
  @EnumSource
  void itsClockIsSteppedAndBack(Kind kind) {
    try (RedisServer server = RedisServer.of(kind).withSteppableClock().start()) {
      awaitSecondsAhead(server, 0);
      server.stepClock(Duration.ofMinutes(1));
      awaitSecondsAhead(server, 60);
      server.stepClock(Duration.ofMinutes(-2));
      awaitSecondsAhead(server, -60);
      server.kill();
      server.start();
      awaitSecondsAhead(server, -60);
    }
  }

  private static void awaitSecondsAhead(RedisServer server, long expected) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              List<?> time = (List<?>) server.command("TIME");
              long ahead = Long.parseLong((String) time.get(0)) - System.currentTimeMillis() / 1000;
              assertThat(ahead).isCloseTo(expected, within(10L));
            });
  }

  @ParameterizedTest
  @EnumSource
  void asksForPasswords(Kind kind) {
    String password = "p@:/ \"%+é";
    try (RedisServer server =
        RedisServer.of(kind).password(password).user("ann", "s3cret", "~a:* +@all").start()) {
      assertThat(server.command("PING")).isEqualTo("PONG");
      assertThatThrownBy(() -> server.cli("default", "wrong")).isInstanceOf(RedisError.class);
      try (RedisCli ann = server.cli("ann", "s3cret")) {
        assertThat(ann.command("SET", "a:1", "v")).isEqualTo("OK");
        assertThatThrownBy(() -> ann.command("SET", "b", "v"))
            .isInstanceOf(RedisError.class)
            .hasMessageContaining("NOPERM");
      }
      assertThat(RedisAccess.given(java.net.URI.create(server.url())))
          .extracting(RedisAccess::password)
          .isEqualTo(password);
    }
  }

  @ParameterizedTest
  @EnumSource
  void speaksTls(Kind kind) {
    try (RedisServer server = RedisServer.of(kind).tls().password("secret").start()) {
      assertThat(server.url()).startsWith("rediss://:secret@127.0.0.1:");
      assertThat(server.command("PING")).isEqualTo("PONG");
      assertThat(server.caFile()).content().startsWith("-----BEGIN CERTIFICATE-----");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReplicaFollowsAndIsPromoted(Kind kind) {
    try (RedisServer primary = RedisServer.of(kind).password("secret").start();
        RedisServer replica = RedisServer.of(kind).replicaOf(primary).start()) {
      primary.command("SET", "k", "v");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> "up".equals(replica.info("replication").get("master_link_status")));
      await().atMost(Duration.ofSeconds(30)).until(() -> replica.command("GET", "k").equals("v"));
      replica.command("REPLICAOF", "NO", "ONE");
      assertThat(replica.command("SET", "k", "w")).isEqualTo("OK");
    }
  }

  @Test
  void aFailedStartTellsTheServersLog() {
    RedisServer.of(Kind.REDIS_7_0).config("maxclients 9").start().close(); // it can be had
    assertThatThrownBy(() -> RedisServer.of(Kind.REDIS_7_0).config("no-such-thing 1").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("exit code 1")
        .hasMessageContaining("Bad directive or wrong number of arguments");
  }

  @Test
  void theLogOutlivesRestarts() throws IOException {
    try (RedisServer server = RedisServer.of(Kind.REDIS_7_0).start()) {
      server.kill();
      server.start();
      assertThat(Files.readString(server.process().log()).split("Ready to accept", -1)).hasSize(3);
    }
  }
}
