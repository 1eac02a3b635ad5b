package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of an address that is of no use. */
@Timeout(60)
class ServerAddressTest {
  /** A password that is not encoded may be torn apart anywhere. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:geheim?ret=x@127.0.0.1",
        "redis://:se?geheim=1@127.0.0.1",
        "redis://app:1?geheim=1@127.0.0.1",
        "redis://app:12?x=geheim@127.0.0.1",
        "redis://app:se/geheim@127.0.0.1",
        "redis://app:se@geheim:x@127.0.0.1",
        "redis://:geheim",
        "redis://geheim@",
        "redis://app:geheim%2@127.0.0.1",
        "rediss://app:geheim@127.0.0.1:99999",
      })
  void noPartOfAPasswordIsShown(String url) {
    assertThatThrownBy(() -> Leasehold.connect(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("geheim")
        .hasNoCause();
  }

  @Test
  void aRefusedConnectionIsCalledSo() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    requireReason("redis://127.0.0.1:" + port, "Connection refused");
  }

  @Test
  void anUnknownHostIsCalledSo() {
    requireReason("redis://no..such..host", "unknown host no..such..host");
  }

  @Test
  void aServerThatIsSilentIsUnavailableInTime() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      requireReason("redis://:x@127.0.0.1:" + silent.getLocalPort(), "timed out");
    }
  }

  private static void requireReason(String url, String reason) {
    assertThatThrownBy(() -> Leasehold.connect(url).close())
        .isInstanceOfSatisfying(
            StoreException.class, told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("cannot connect to Redis at")
        .hasMessageContaining(reason);
  }
}
