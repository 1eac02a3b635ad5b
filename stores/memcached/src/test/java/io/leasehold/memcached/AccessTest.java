package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.servers.MemcachedServer;
import io.leasehold.spi.StoreUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Coming in: URLs, logins, what must be accepted, what {@code doctor} finds. */
class AccessTest {
  @TempDir Path folder;

  private static LockClient connect(String url) {
    return Leasehold.connect(url + "?accept=unfenced");
  }

  private static void requireRefused(String url) {
    assertThatThrownBy(() -> connect(url))
        .isInstanceOfSatisfying(
            StoreException.class,
            told -> {
              assertThat(told.failure()).isEqualTo(Failure.REFUSED);
              assertThat(told).hasMessageContaining("password").hasMessageNotContaining("secret");
            });
  }

  @Test
  void aServerThatWantsALogin() throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "app:secret\n");
    try (MemcachedServer server = MemcachedServer.start("-Y", users.toString())) {
      String address = "@127.0.0.1:" + server.process().port();
      try (LockClient client = connect("memcached://app:secret" + address)) {
        Lease held = client.lock("a").acquire();
        assertThat(client.lock("a").tryAcquire()).isEmpty();
        held.release();
      }
      requireRefused("memcached://app:secret2" + address);
      requireRefused(server.url());
    }
  }

  /** It would take the password for a value, and show it to all. */
  @Test
  void aPasswordIsNotSentToAServerThatWantsNone() throws Exception {
    try (MemcachedServer server = MemcachedServer.start();
        LockClient client =
            connect("memcached://app:secret@127.0.0.1:" + server.process().port())) {
      client.lock("a").acquire().release();
      assertThat(server.command("get ASCII_AUTH")).containsExactly("END");
      assertThat(server.stats().get("cmd_set")).isEqualTo("2");
    }
  }

  @Test
  void r15WhatItLacksMustBeAccepted() {
    try (MemcachedServer server = MemcachedServer.start()) {
      assertThatThrownBy(() -> Leasehold.connect(server.url()))
          .isInstanceOf(MissingTraitException.class)
          .hasMessageContaining("accept=unfenced");
    }
  }

  @Test
  void aServerThatIsNotThere() {
    String url;
    try (MemcachedServer server = MemcachedServer.start()) {
      url = server.url();
    }
    assertThatThrownBy(() -> connect(url))
        .isInstanceOfSatisfying(
            StoreException.class,
            told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memcached://one:11211,two:11211",
        "memcached://u:secret@one,two",
        "memcached:one",
        "memcached://u@one",
        "memcached://u:secret%0d%0aflush_all@one",
        "memcached://one:0",
        "memcached://one/path",
        "memcached://one?prefix=a%20b",
        "memcached://one?prefix=a%0d%0aflush_all",
        "memcached://one?prefix=",
        "memcached://one?database=1"
      })
  void aUrlThatIsNotOne(String url) {
    assertThatThrownBy(() -> new MemcachedStoreProvider().factory(StoreUrl.parse(url)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  private static Finding finding(MemcachedServer server, String check) {
    try (LockClient client = connect(server.url())) {
      List<Finding> all = client.diagnose();
      assertThat(all).extracting(Finding::check).contains("server", "latency", "persistence");
      return all.stream().filter(f -> f.check().equals(check)).findAny().orElseThrow();
    }
  }

  @Test
  void whatDoctorFinds() throws Exception {
    try (MemcachedServer server = MemcachedServer.start("-M", "-m", "100")) {
      assertThat(finding(server, "eviction").level()).isEqualTo(Level.OK);
      assertThat(finding(server, "server").detail()).startsWith("memcached 1.6");
    }
    try (MemcachedServer server = MemcachedServer.start("-m", "2")) {
      Finding before = finding(server, "eviction");
      assertThat(before.level()).isEqualTo(Level.WARNING);
      assertThat(before.detail()).contains("2 MB", "(0 so far)", "-M");
      String value = "x".repeat(100_000);
      for (int i = 0; i < 100; i++) {
        server.command("set filling" + i + " 0 0 " + value.length(), value);
      }
      assertThat(finding(server, "eviction").detail()).doesNotContain("(0 so far)");
    }
  }

  @Test
  void aFullServerRefusesNewLocksAndLetsOthersGo() throws Exception {
    try (MemcachedServer server = MemcachedServer.start("-M", "-m", "2");
        LockClient client = connect(server.url())) {
      List<Lease> held = new ArrayList<>();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  held.add(client.lock("name " + i).acquire());
                }
              })
          .isInstanceOfSatisfying(
              StoreException.class,
              told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE))
          .hasMessageContaining("OUT_OF_MEMORY");
      assertThat(held).isNotEmpty().allMatch(Lease::isHeld);
      held.forEach(Lease::release);
      client.lock("another").acquire().release();
    }
  }
}
