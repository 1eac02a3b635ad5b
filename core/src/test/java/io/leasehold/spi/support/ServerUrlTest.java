package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Host;
import io.leasehold.spi.support.ServerUrl.Login;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUrlTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("LEASEHOLD_USER", "env", "LEASEHOLD_PASSWORD", "word");

  private static final Form FORM = new Form(1234, false, "", Login.BOTH, "");
  private static final Form PASSWORD = new Form(1234, false, "/database", Login.PASSWORD, "ss");
  private static final Form SEVERAL = new Form(1234, true, "", Login.NONE, "");

  private static ServerUrl read(String url, Form form, Map<String, String> environment) {
    return ServerUrl.of(StoreUrl.parse(url), form, Set.of("a"), environment);
  }

  @ParameterizedTest
  @CsvSource({
    "s://host, host, 1234, '', '', host:1234",
    "s://host:99/, host, 99, '', '', host:99",
    "s://u:p@host:99?a=b, host, 99, u, p, host:99",
    "s://u:p@[::1]:99, ::1, 99, u, p, [::1]:99",
    "s://u%40v:p%2Fq+r%25@10.0.0.1, 10.0.0.1, 1234, u@v, p/q+r%, 10.0.0.1:1234"
  })
  void itsParts(String url, String host, int port, String user, String password, String shown) {
    ServerUrl read = read(url, FORM, Map.of());
    assertThat(read.hosts()).containsExactly(new Host(host, port));
    assertThat(read.user()).isEqualTo(user);
    assertThat(read.password()).isEqualTo(password);
    assertThat(read).hasToString(shown);
  }

  @Test
  void severalServers() {
    ServerUrl read = read("s://one,[::2]:99,three:7", SEVERAL, ENVIRONMENT);
    assertThat(read.hosts())
        .isEqualTo(List.of(new Host("one", 1234), new Host("::2", 99), new Host("three", 7)));
    assertThat(read).hasToString("one:1234,[::2]:99,three:7");
  }

  @Test
  void aPath() {
    assertThat(read("s://host/7", PASSWORD, Map.of()).path()).isEqualTo("7");
    assertThat(read("s://host/", PASSWORD, Map.of()).path()).isEmpty();
  }

  @Test
  void theEnvironmentHasWhatTheUrlLacks() {
    ServerUrl both = read("s://host", FORM, ENVIRONMENT);
    assertThat(both.user() + ":" + both.password()).isEqualTo("env:word");
    ServerUrl password = read("s://u@host", FORM, ENVIRONMENT);
    assertThat(password.user() + ":" + password.password()).isEqualTo("u:word");
    ServerUrl neither = read("s://u:p@host", FORM, ENVIRONMENT);
    assertThat(neither.user() + ":" + neither.password()).isEqualTo("u:p");
  }

  @Test
  void aPasswordMayStandAlone() {
    assertThat(read("s://:p@host", PASSWORD, Map.of()).password()).isEqualTo("p");
    assertThatThrownBy(() -> read("s://:secret@host", FORM, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("set LEASEHOLD_USER")
        .hasMessageNotContaining("secret");
  }

  @Test
  void filesAreForTheSchemeWithTls() {
    assertThat(read("ss://host?ca=x", PASSWORD, Map.of()).tls().orElseThrow().ca())
        .contains(Path.of("x"));
    assertThat(read("s://host", PASSWORD, Map.of()).tls()).isEmpty();
    assertThatThrownBy(() -> read("s://host?ca=x", PASSWORD, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write ss://");
    assertThatThrownBy(() -> read("s://host?ca=x", FORM, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown parameter ca");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s:host",
        "s://",
        "s://host:0",
        "s://host:65536",
        "s://host:secret",
        "s://host,",
        "s://u@host",
        "s://u:secret%zz@host",
        "s://u:sec/ret@host",
        "s://host/path",
        "s://u:secret@one,two:99"
      })
  void whatIsNotOneIsRefusedWithoutItsSecrets(String url) {
    assertThatThrownBy(() -> read(url, FORM, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("sec");
  }

  @Test
  void aStoreWithoutUsersTakesNone() {
    assertThatThrownBy(() -> read("s://u:secret@one", SEVERAL, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("s://host[:port][,host[:port]...]")
        .hasMessageNotContaining("secret");
  }
}
