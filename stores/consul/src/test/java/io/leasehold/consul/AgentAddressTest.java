package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.StoreUrl;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a URL may say. */
class AgentAddressTest {
  private static AgentAddress of(String url, Map<String, String> environment) {
    return AgentAddress.of(StoreUrl.parse(url), environment);
  }

  @Test
  void thePortIsConsulsIfNoneIsGiven() {
    assertThat(of("consul://a", Map.of()).host().toURI()).isEqualTo("http://a:8500");
    assertThat(of("consuls://[::1]:8501/", Map.of()).host().getPort()).isEqualTo(8501);
  }

  @Test
  void theTokenOfTheUrlComesBeforeThatOfTheEnvironment() {
    Map<String, String> environment = Map.of("LEASEHOLD_PASSWORD", "b");
    assertThat(of("consul://a?token=c", environment).token()).isEqualTo("c");
    assertThat(of("consul://a", environment).token()).isEqualTo("b");
    assertThat(of("consul://a", Map.of()).token()).isNull();
  }

  @Test
  void theDatacenterIsInEachQuery() {
    assertThat(of("consul://a?dc=east-1", Map.of()).query()).isEqualTo("?dc=east-1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "consul://a,b",
        "consul://:secret@a",
        "consul://a:0",
        "consul://a:70000",
        "consul://a?dc=a%26b",
        "consul://a?token=a%0Asecret",
        "consul://a?secret=1",
        "consul://a?ca=/x",
        "consul:a"
      })
  void othersAreRefusedWithoutTheirSecrets(String url) {
    assertThatThrownBy(() -> of(url, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret@").doesNotContain("\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a", "/a/", "a b/", "a\"/"})
  void aPrefixIsAFolder(String prefix) {
    assertThatThrownBy(
            () ->
                new ConsulStoreProvider()
                    .factory(StoreUrl.parse("consul://a?prefix=" + prefix.replace(" ", "%20"))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
