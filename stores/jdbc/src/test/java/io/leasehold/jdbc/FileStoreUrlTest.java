package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code file:} URLs mean. */
class FileStoreUrlTest {
  private static final StoreListener DEAF =
      new StoreListener() {
        @Override
        public void wake(LeaseId id) {}

        @Override
        public void reconnected() {}

        @Override
        public void lost(Collection<LeaseId> ids) {}
      };

  @TempDir Path dir;

  @Test
  void theProviderIsFoundByItsScheme() {
    assertThat(ServiceLoader.load(StoreProvider.class))
        .anyMatch(p -> p.schemes().contains("file") && p instanceof JdbcStoreProvider);
  }

  @Test
  void whatTheDdlCreatesIsTakenForALockFile() throws SQLException {
    StoreUrl url = StoreUrl.parse("file:" + dir + "/by-hand.db");
    String ddl = new JdbcStoreProvider().ddl(url).orElseThrow();
    assertThat(dir.resolve("by-hand.db")).doesNotExist();

    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dir + "/by-hand.db");
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(ddl);
    }

    open("file:" + dir + "/by-hand.db");
    assertThatThrownBy(() -> new JdbcStoreProvider().ddl(StoreUrl.parse("file:x?frob=1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("frob");
  }

  @Test
  void absolutePathsAreWrittenWithOneSlashOrThree() {
    open("file:" + dir + "/one.db");
    open("file://" + dir + "/three.db");
    open("FILE://localhost" + dir + "/host.db");
    assertThat(dir.resolve("one.db")).isRegularFile();
    assertThat(dir.resolve("three.db")).isRegularFile();
    assertThat(dir.resolve("host.db")).isRegularFile();
  }

  @Test
  void aRelativePathBeginsInTheWorkingDirectory() {
    Path relative = Path.of("").toAbsolutePath().relativize(dir.resolve("relative.db"));
    open("file:" + relative);
    assertThat(dir.resolve("relative.db")).isRegularFile();
  }

  @Test
  void everyCharacterOfAPathMayBePercentEncoded() {
    open("file:" + dir + "/a%20b%3Fmode%3Dmemory%25%23%26+c.db");
    assertThat(dir.resolve("a b?mode=memory%#&+c.db")).isRegularFile();
  }

  @Test
  void directoriesThatAreMissingAreMade() {
    open("file:" + dir + "/x/y/z/locks.db");
    assertThat(dir.resolve("x/y/z/locks.db")).isRegularFile();
  }

  @Test
  void nothingIsOpenedBeforeTheFactoryIsAsked() {
    new JdbcStoreProvider().factory(StoreUrl.parse("file:" + dir + "/later.db"));
    assertThat(Files.exists(dir.resolve("later.db"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file:",
        "file://",
        "file://server/share/locks.db",
        "file:/tmp/a%zz.db",
        "file:/tmp/a%0.db",
        "file:/tmp/a%00.db",
        "file:/tmp/a.db?mode=session",
        "file:/tmp/a.db?table=t"
      })
  void whatIsNotUnderstoodIsRefusedWithAReason(String url) {
    assertThatThrownBy(() -> new JdbcStoreProvider().factory(StoreUrl.parse(url)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(file:/|%25|cannot be a file's|unknown parameter).*");
  }

  private static void open(String url) {
    try (LockStore store = new JdbcStoreProvider().factory(StoreUrl.parse(url)).open(DEAF)) {
      assertThat(Fixture.granted(store, Fixture.tryOnce("a")).number())
          .isGreaterThan(1_700_000_000_000L);
    }
  }
}
