package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.WITHIN;
import static io.leasehold.jdbc.Fixture.get;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the store finds out about its file. */
class FileStoreDiagnosisTest {
  @TempDir Path dir;

  private Path file() {
    return dir.resolve("locks.db");
  }

  private static Finding find(LeaseRowStore store, String check) {
    return get(store.diagnose(WITHIN)).stream()
        .filter(f -> f.check().equals(check))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aSoundFileIsFound() {
    try (LeaseRowStore store = Fixture.open(file())) {
      granted(store, tryOnce("a"));
      assertThat(get(store.diagnose(WITHIN)))
          .extracting(Finding::check)
          .containsExactly(
              "integrity",
              "schema",
              "persistence",
              "clock",
              "file system",
              "disk space",
              "size",
              "access");
      for (String check :
          new String[] {"integrity", "schema", "persistence", "clock", "size", "access"}) {
        assertThat(find(store, check).level()).as(check).isEqualTo(Level.OK);
      }
      assertThat(find(store, "clock").detail()).contains("monotonic");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileOrDirectoryThatEveryUserMayWriteIsWarnedOf() throws IOException {
    try (LeaseRowStore store = Fixture.open(file())) {
      Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-rw-rw-"));
      assertThat(find(store, "access").level()).isEqualTo(Level.WARNING);
      assertThat(find(store, "access").detail()).contains("locks.db").contains("chmod");
      Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-------"));
      Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(find(store, "access").detail())
          .contains(dir.toString())
          .doesNotContain("locks.db");
      Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
      assertThat(find(store, "access").level()).isEqualTo(Level.OK);
    }
  }

  @Test
  void theWallClockIsWarnedOf() {
    ManualClock clock = new ManualClock();
    HostClock wall = HostClock.of(clock, dir);
    try (LeaseRowStore store = JdbcStoreProvider.open(file(), clock, wall, StatementHook.NONE, 0)) {
      Finding found = find(store, "clock");
      assertThat(found.level()).isEqualTo(Level.WARNING);
      assertThat(found.detail()).contains("wall clock").contains("slewing");
    }
  }

  @Test
  void aDamagedFileIsFound() throws IOException {
    try (LeaseRowStore store = Fixture.open(file())) {
      for (int i = 0; i < 200; i++) {
        granted(store, tryOnce("name " + i));
      }
    }
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      // Behind the root pages of the tables.
      channel.write(ByteBuffer.wrap(new byte[4096]), channel.size() - 4096);
    }
    try (LeaseRowStore store = Fixture.open(file())) {
      Finding found = find(store, "integrity");
      assertThat(found.level()).isEqualTo(Level.ERROR);
      assertThat(found.detail()).contains("damaged").contains("start again");
    }
  }

  @Test
  void aFileThatANewerVersionTookOverIsFound() throws SQLException {
    try (LeaseRowStore store = Fixture.open(file());
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        var statement = connection.createStatement()) {
      statement.execute("PRAGMA user_version = 3");
      Finding found = find(store, "schema");
      assertThat(found.level()).isEqualTo(Level.ERROR);
      assertThat(found.detail()).contains("version 3");
    }
  }

  @Test
  void littleSpaceAndALargeFileAreFound() {
    assertThat(SqliteDiagnosis.space(1L << 40).level()).isEqualTo(Level.OK);
    assertThat(SqliteDiagnosis.space(50 << 20).level()).isEqualTo(Level.WARNING);
    assertThat(SqliteDiagnosis.space(100_000).level()).isEqualTo(Level.ERROR);
    assertThat(SqliteDiagnosis.size(5 << 20)).isEqualTo(new Finding(Level.OK, "size", "5 MB"));
    assertThat(SqliteDiagnosis.size(3L << 30).level()).isEqualTo(Level.WARNING);
  }

  @Test
  void aFileInMemoryIsFound() {
    assertThat(SqliteDiagnosis.fileSystem("ext4"))
        .isEqualTo(new Finding(Level.OK, "file system", "ext4"));
    assertThat(SqliteDiagnosis.fileSystem("tmpfs").level()).isEqualTo(Level.WARNING);
  }
}
