package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.StoreUrl;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUrlTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("LEASEHOLD_USER", "env", "LEASEHOLD_PASSWORD", "word");

  private static ServerUrl read(String url, Map<String, String> environment) {
    return ServerUrl.of(StoreUrl.parse(url), 1234, environment);
  }

  @ParameterizedTest
  @CsvSource({
    "s://host, host, 1234, '', '', host:1234",
    "s://host:99/, host, 99, '', '', host:99",
    "s://u:p@host:99?a=b, host, 99, u, p, host:99",
    "s://:p@[::1]:99, ::1, 99, '', p, [::1]:99",
    "s://u%40v:p%2Fq+r%25@10.0.0.1, 10.0.0.1, 1234, u@v, p/q+r%, 10.0.0.1:1234"
  })
  void itsParts(String url, String host, int port, String user, String password, String shown) {
    ServerUrl read = read(url, Map.of());
    assertThat(read).isEqualTo(new ServerUrl(host, port, user, password));
    assertThat(read).hasToString(shown);
  }

  @Test
  void theEnvironmentHasTheLoginOfAUrlWithoutOne() {
    assertThat(read("s://host", ENVIRONMENT)).isEqualTo(new ServerUrl("host", 1234, "env", "word"));
    assertThat(read("s://u:p@host", ENVIRONMENT)).isEqualTo(new ServerUrl("host", 1234, "u", "p"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s:host",
        "s://",
        "s://host:0",
        "s://host:65536",
        "s://host:secret",
        "s://u@host",
        "s://u:secret%zz@host",
        "s://u:sec/ret@host",
        "s://host/path",
        "s://u:secret@one,two:99"
      })
  void whatIsNotOneIsRefusedWithoutItsSecrets(String url) {
    assertThatThrownBy(() -> read(url, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("sec");
  }
}
