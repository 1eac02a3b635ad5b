package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreUrlTest {
  @Test
  void isTakenApart() {
    StoreUrl url = StoreUrl.parse("JDBC:mysql://h/db?table=a%20b&ttl=10s");
    assertThat(url.scheme()).isEqualTo("jdbc");
    assertThat(url.rest()).isEqualTo("mysql://h/db");
    assertThat(url.parameter("table")).contains("a b");
    assertThat(url.parameter("mode")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "redis://user:s3cret@h:6379/0, redis://***@h:6379/0",
    "redis://:p@s3cret@h, redis://***@h",
    "jdbc:postgresql://u:se/s3cret@h/db, jdbc:postgresql://***@h/db",
    "jdbc:oracle:thin:u/s3cret@h, jdbc:***@h",
    "jdbc:mariadb:replication://u:s3cret@h, jdbc:mariadb:replication://***@h",
    "'jdbc:mysql://(host=h,password=s3cret)/db', jdbc:mysql://",
    "jdbc:mysql://address=(host=h)(password=s3cret)/db, jdbc:mysql://address=",
    "jdbc:mysql://u:s3cret(@h/db, jdbc:mysql://***",
    "jdbc:h2:mem:x;PASSWORD=s3cret, jdbc:h2:mem:x",
    "jdbc:h2:tcp://h/x;PASSWORD=u@s3cret, jdbc:h2:tcp://***",
    "jdbc:mysql://u:s3cret/db, jdbc:mysql://u:***",
    "jdbc:mysql://h:3306/db, jdbc:mysql://h:3306/db",
    "'jdbc:postgresql://h:1,i:2/db', 'jdbc:postgresql://h:1,i:2/db'",
    "'jdbc:postgresql://[::1]:5432/db', 'jdbc:postgresql://[::1]:5432/db'",
    "jdbc:postgresql://h/db?user=u&password=s3cret, jdbc:postgresql://h/db?user&password",
    "file:/var/lib/x.db, file:/var/lib/x.db",
  })
  void showsNoSecret(String url, String shown) {
    assertThat(StoreUrl.parse(url)).hasToString(shown).asString().doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource({"jdbc:postgresql://u:s3?cret=1@h/db", "redis://:p?s3cret=x@h", "redis://:p?s3cret@h"})
  void aPasswordThatIsCutOffIsRefused(String url) {
    assertThatThrownBy(() -> StoreUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("percent-encode")
        .hasMessageNotContaining("s3");
  }

  @Test
  void anUnknownParameterIsNamedAndItsValueIsNot() {
    StoreUrl url = StoreUrl.parse("file:x?pasword=s3cret").without(Set.of("ttl"));
    assertThatThrownBy(() -> url.requireOnly(Set.of("table")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the store URL has an unknown parameter pasword; file knows accept, table, ttl");
  }

  @ParameterizedTest
  @CsvSource({"file:x?a", "file:x?=1", "file:x?a=1&a=2", "file:x?a=1&"})
  void parametersComeOnceAndWithAValue(String url) {
    assertThatThrownBy(() -> StoreUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the store URL");
  }

  @Test
  void aListHasMembersWithTheSameParameters() {
    StoreUrl url =
        StoreUrl.parse(
            "quorum:redis://me:s3cret@a,redis://b:6379,zookeeper://h1:2181,h2:2181/x?prefix=q");
    assertThat(url.members())
        .extracting(StoreUrl::scheme)
        .containsExactly("redis", "redis", "zookeeper");
    assertThat(url.members()).extracting(StoreUrl::rest).last().isEqualTo("//h1:2181,h2:2181/x");
    assertThat(url.members()).allSatisfy(m -> assertThat(m.parameter("prefix")).contains("q"));
    assertThat(url)
        .hasToString("quorum:redis://***@a,redis://b:6379,zookeeper://h1:2181,h2:2181/x?prefix");
    assertThat(StoreUrl.parse("quorum:s3cret")).hasToString("quorum:***");
  }
}
