package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreUrl;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a URL of a server is read as, and what a driver is told. */
class ServerUrlTest {
  private static ServerUrl read(String url) {
    return ServerUrl.of(StoreUrl.parse(url), Map.of());
  }

  @ParameterizedTest
  @CsvSource({
    "tabel, table",
    "tables, table",
    "Table, table",
    "able, table",
    "mod, mode",
    "dll, ddl",
    "ddll, ddl",
    "tttl, ttl",
    "acept, accept",
  })
  void oneOfOursMisspelledIsRefused(String parameter, String ours) {
    String url = "jdbc:postgresql://h/db?" + parameter + "=x";
    assertThatThrownBy(() -> read(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has the parameter " + parameter + "; write " + ours);
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h/db, 10",
    "jdbc:postgresql://h/db?loginTimeout=30, 30",
    "jdbc:postgresql://h/db?loginTimeout=3, 10",
    "jdbc:postgresql://h/db?loginTimeout=long, 10",
    "jdbc:mysql://h/db?loginTimeout=30, 10"
  })
  void openingTakesNoLongerThanTheUrlSays(String url, long seconds) {
    assertThat(read(url).longestOpening()).hasSeconds(seconds);
  }

  @Test
  void whatTheDriverIsTold() {
    ServerUrl url = read("jdbc:mariadb:replication://u:p%2F%40@h,i:3307/db?table=x&sslMode=trust");
    assertThat(url.driverUrl()).isEqualTo("jdbc:mariadb:replication://h,i:3307/db");
    assertThat(url.properties())
        .containsOnly(
            Map.entry("user", "u"), Map.entry("password", "p/@"), Map.entry("sslMode", "trust"));
    assertThat(url).hasToString("jdbc:mariadb:replication://***@h,i:3307/db");
    ServerUrl h2 = read("jdbc:h2:mem:x;USER=sa;DB_CLOSE_DELAY=-1;password=p\\;q");
    assertThat(h2.driverUrl()).isEqualTo("jdbc:h2:mem:x;DB_CLOSE_DELAY=-1");
    assertThat(h2.properties()).containsEntry("user", "sa").containsEntry("password", "p\\;q");
  }

  @ParameterizedTest
  @CsvSource({
    "'jdbc:postgresql://h,i:5433/db', primary",
    "'jdbc:postgresql://h,i/db?targetServerType=any', any",
    "jdbc:postgresql://h/db,",
    "'jdbc:mysql://h,i/db',",
  })
  void ofSeveralHostsThePrimary(String url, String type) {
    assertThat(read(url).properties().getProperty("targetServerType")).isEqualTo(type);
  }

  @Test
  void optionsOfTheUrlComeBehindOurs() {
    Properties ours = new Properties();
    ours.setProperty("options", "-c a=1");
    assertThat(read("jdbc:postgresql://h/db?options=-c%20b%3D2").over(ours))
        .containsEntry("options", "-c a=1 -c b=2");
  }

  /** It takes connections and says nothing. */
  @Test
  void aSilentServerIsGivenUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/db";
      long begin = System.nanoTime();
      assertThatThrownBy(() -> Leasehold.connect(url))
          .isInstanceOfSatisfying(
              StoreException.class,
              told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE))
          .hasMessageContaining("cannot be reached")
          .message()
          .hasLineCount(1);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    }
  }
}
