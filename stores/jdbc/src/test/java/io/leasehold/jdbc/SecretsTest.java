package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.spi.StoreUrl;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A password in a URL is said nowhere, whatever the URL's form. Nothing listens at port 1. */
class SecretsTest {
  /** Whatever is logged by the JDK's logging, in which drivers log where there is nothing else. */
  private static final class Logged extends Handler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void publish(LogRecord line) {
      lines.add(new SimpleFormatter().format(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://app:geHeim/wOrt@127.0.0.1:1/db",
        "jdbc:mysql://app:geHeim/wOrt@127.0.0.1:1/db",
        "jdbc:mariadb://app:geHeim/wOrt@127.0.0.1:1/db",
        "jdbc:postgresql://app:geHeim@wOrt@127.0.0.1:1/db",
        "jdbc:mysql://app:geHeim@wOrt@127.0.0.1:1/db",
        "jdbc:mariadb://app:geHeim@wOrt@127.0.0.1:1/db",
        "jdbc:postgresql://app:geHeim?wOrt=1@127.0.0.1:1/db",
        "jdbc:postgresql://app:geHeim/x?wOrt=1@127.0.0.1:1/db",
        "jdbc:postgresql://app:geHeim?wOrt@127.0.0.1:1/db",
        "jdbc:mysql://app:geHeim#wOrt/x@127.0.0.1:1/db",
        "jdbc:postgresql://127.0.0.1:1/db?password=geHeim@wOrt",
        "jdbc:mysql://(host=127.0.0.1,port=1,user=app,password=geHeim)/db",
        "jdbc:mysql://address=(host=127.0.0.1)(port=1)(user=app)(PASSWORD = geHeim)/db",
        "jdbc:mariadb://address=(host=127.0.0.1)(port=1)(type=primary)(password=geHeim)/db",
        "jdbc:mysql://app:geHeim@127.0.0.1:1,app:wOrt@127.0.0.1:1/db",
        "jdbc:mysql:loadbalance://app:geHeim@127.0.0.1:1,app:wOrt@127.0.0.1:1/db",
        "jdbc:postgresql:app:geHeim@127.0.0.1",
        "jdbc:postgresql://app:%geHeim@127.0.0.1:1/db",
        "jdbc:oracle:thin:app/geHeim@127.0.0.1:1521:db",
        "redis://:geHeim?wOrt=x@127.0.0.1:1",
        "jdbc:postgresql://app:geHeim@127.0.0.1:port/db",
        "jdbc:mysql://app:geHeim@127.0.0.1:port/db",
        "jdbc:mariadb://app:geHeim@127.0.0.1:port/db",
        "jdbc:postgresql://app:geHeim/db",
        "jdbc:mysql://app:geHeim/db",
        "jdbc:mariadb://app:geHeim/db",
        "jdbc:h2:mem:x;NONSENSE=1;PASSWORD=geHeim",
        "jdbc:h2:mem:x;PASSWORD=geHeim;wOrt",
        "jdbc:h2:mem:x;PASSWORD=geHeim;wOrt=1",
      })
  void ofAUrlThatIsWrong(String url) {
    assertThat(thrown(url)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://app:geHeim@127.0.0.1:1/db",
        "jdbc:mysql://app:geHeim@127.0.0.1:1/db",
        "jdbc:mariadb://app:geHeim@127.0.0.1:1/db",
        "jdbc:mariadb:replication://app:geHeim@127.0.0.1:1,127.0.0.1:1/db",
        "jdbc:mysql:replication://app:geHeim@127.0.0.1:1,127.0.0.1:1/db",
        "jdbc:postgresql://app:geHeim%2FwOrt%40x@127.0.0.1:1,127.0.0.1:1/db",
        "jdbc:mysql://127.0.0.1:1/db?user=app&password=geHeim",
        "jdbc:mariadb://127.0.0.1:1/db?user=app&password=geHeim%26wOrt",
        "jdbc:h2:tcp://127.0.0.1:1/db;USER=sa;PASSWORD=geHeim",
      })
  void ofAServerThatIsNotThere(String url) {
    assertThat(thrown(url))
        .isInstanceOfSatisfying(
            StoreException.class,
            told -> assertThat(told.failure()).isEqualTo(StoreException.Failure.UNAVAILABLE))
        .hasMessageMatching(".*(refused|specified targetServerType: primary).*")
        .message()
        .hasLineCount(1);
  }

  /** What it says, what caused it, what the URL looks like, and what was logged and printed. */
  private static Throwable thrown(String url) {
    Logged logged = new Logged();
    Logger root = Logger.getLogger("");
    Level level = root.getLevel();
    PrintStream error = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Throwable thrown;
    try {
      root.addHandler(logged);
      root.setLevel(Level.ALL);
      System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
      thrown = catchThrowable(() -> Leasehold.connect(url).close());
    } finally {
      System.setErr(error);
      root.setLevel(level);
      root.removeHandler(logged);
    }
    StringWriter all = new StringWriter();
    thrown.printStackTrace(new PrintWriter(all));
    all.append(String.join("", logged.lines)).append(printed.toString(StandardCharsets.UTF_8));
    try {
      StoreUrl parsed = StoreUrl.parse(url);
      all.append(parsed.toString()).append(ServerUrl.of(parsed, Map.of()).toString());
    } catch (IllegalArgumentException e) {
      all.append(e.toString());
    }
    assertThat(all.toString()).doesNotContain("geHeim", "wOrt", "WORT");
    return thrown;
  }
}
