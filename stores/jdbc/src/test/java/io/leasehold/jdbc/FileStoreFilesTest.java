package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the file may be, who may read it, and what happens when the disk or another process
 * interferes.
 */
class FileStoreFilesTest {
  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void name() {
    file = dir.resolve("locks.db");
  }

  @Test
  void onlyTheOwnerMayReadWhatIsMadeWhateverTheUmask() throws IOException {
    Path made = dir.resolve("new/deep/locks.db");
    try (Child child =
        Child.start(dir, List.of("sh", "-c", "umask 000 && exec \"$@\"", "sh"), Puppet.class)) {
      assertThat(child.ask("open " + made)).isEqualTo("opened");
      assertThat(child.ask("try a 1 60000")).isEqualTo("granted 1");
      assertThat(mode(made.getParent().getParent())).isEqualTo("rwx------");
      assertThat(mode(made.getParent())).isEqualTo("rwx------");
      try (var all = Files.list(made.getParent())) {
        List<Path> files = all.sorted().toList();
        assertThat(files)
            .extracting(p -> p.getFileName().toString())
            .containsExactly("locks.db", "locks.db-shm", "locks.db-wal");
        assertThat(files).allMatch(p -> mode(p).equals("rw-------"));
      }
    }
  }

  @Test
  void theModeOfWhatIsThereAlreadyIsLeftAlone() throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    try (LeaseRowStore store = Fixture.open(file)) {
      granted(store, tryOnce("a"));
      assertThat(mode(file)).isEqualTo("rw-rw----");
      assertThat(mode(dir.resolve("locks.db-wal"))).isEqualTo("rw-rw----");
    }
  }

  private static String mode(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDirectoryIsRefused() throws IOException {
    Files.createDirectory(file);
    refused(() -> Fixture.open(file), "is a directory");
  }

  @Test
  void aPathThroughAFileIsRefused() throws IOException {
    Files.writeString(dir.resolve("plain"), "x");
    refused(() -> Fixture.open(dir.resolve("plain/locks.db")), "is not a directory");
  }

  @Test
  void whatIsNoDatabaseIsRefusedAndLeftAsItIs() throws IOException {
    String text = "precious text\n".repeat(1000);
    Files.writeString(file, text);
    refused(() -> Fixture.open(file), "is not a lock file");
    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @Test
  void aDatabaseOfAnotherApplicationIsRefusedAndLeftAsItIs() throws Exception {
    sql("CREATE TABLE theirs (x)");
    byte[] before = Files.readAllBytes(file);
    refused(() -> Fixture.open(file), "another application");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void aNewerSchemaIsRefusedAndLeftAsItIs() throws Exception {
    Fixture.open(file).close();
    sql("PRAGMA user_version = 3");
    byte[] before = Files.readAllBytes(file);
    refused(() -> Fixture.open(file), "schema version 3");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void anEmptyFileIsTaken() throws IOException {
    Files.createFile(file);
    try (LeaseRowStore store = Fixture.open(file)) {
      granted(store, tryOnce("a"));
    }
  }

  @Test
  void aDamagedFileIsRefused() throws IOException {
    Ticket held = tryOnce("a");
    try (LeaseRowStore store = Fixture.open(file)) {
      granted(store, held);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), 2 * 4096);
      channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), 3 * 4096);
    }
    try (LeaseRowStore store = Fixture.open(file)) {
      refused(() -> Fixture.attempt(store, held), "is damaged");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "virtiofs", "NFS"})
  void aNetworkFileSystemIsRefused(String type) {
    SqliteFile on = new SqliteFile(file);
    refused(() -> on.requireLocal(type, false), "network file system (" + type + ")");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "ntfs", "fuseblk"})
  void aLocalFileSystemIsTaken(String type) {
    new SqliteFile(file).requireLocal(type, false);
  }

  @Test
  void aFileSystemThatIsReadOnlyIsRefused() {
    Optional<List<String>> mounts = Child.ownMounts("mount -t tmpfs tmpfs " + dir);
    assumeTrue(mounts.isPresent(), "needs unshare --mount");
    try (Child child = Child.start(Path.of("/tmp"), mounts.get(), Puppet.class)) {
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("try a 1 600000")).isEqualTo("granted 1");
      assertThat(child.ask("sh cp " + file + " " + dir + "/copy.db")).isEqualTo("true");
      assertThat(child.ask("sh mount --bind " + dir + " " + dir)).isEqualTo("true");
      assertThat(child.ask("sh mount -o remount,bind,ro " + dir)).isEqualTo("true");
      assertThat(child.ask("open " + dir + "/copy.db")).startsWith("REFUSED").contains("read-only");
      assertThat(child.ask("open " + dir + "/other.db"))
          .startsWith("REFUSED")
          .contains("read-only");
    }
  }

  @Test
  void aFileThatMayNotBeWrittenIsRefused() throws IOException {
    Fixture.open(file).close();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    List<String> unprivileged =
        Files.isWritable(file)
            // The owner root may write all the same, without this capability it may not.
            ? List.of("setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override")
            : List.of();
    List<String> test = new ArrayList<>(unprivileged);
    test.addAll(List.of("test", "!", "-w", file.toString()));
    assumeTrue(Child.run(test.toArray(String[]::new)), "needs setpriv, or not to be root");
    try (Child child = Child.start(dir, unprivileged, Puppet.class)) {
      assertThat(child.ask("open " + file)).startsWith("REFUSED").contains("may not be written");
      Path closed = Files.createDirectory(dir.resolve("closed"), mode555());
      assertThat(child.ask("open " + closed + "/locks.db"))
          .startsWith("REFUSED")
          .contains("which belongs to " + Files.getOwner(closed).getName() + ", is denied");
    }
  }

  private static java.nio.file.attribute.FileAttribute<?> mode555() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x"));
  }

  @Test
  void aFullDatabaseFailsWithoutLossAndGoesOnOnceThereIsRoom() {
    int[] pages = {8};
    StatementHook small =
        new StatementHook() {
          @Override
          public void opened(Connection connection) throws SQLException {
            try (var statement = connection.createStatement()) {
              statement.execute("PRAGMA max_page_count = " + pages[0]);
            }
          }

          @Override
          public void before(String sql) {}

          @Override
          public void after(String sql) {}
        };
    try (LeaseRowStore store = Fixture.open(file, small)) {
      Ticket held = tryOnce("held");
      granted(store, held);
      int filled = 0;
      StoreException full = null;
      while (full == null) {
        try {
          granted(store, tryOnce("n".repeat(200) + filled++));
        } catch (StoreException e) {
          full = e;
        }
      }
      assertThat(full.failure()).isEqualTo(Failure.UNAVAILABLE);
      assertThat(full).hasMessageContaining("full").hasMessageContaining(file.toString());
      assertThat(renew(store, held)).isInstanceOf(Renewal.Renewed.class);
      assertThat(release(store, held)).isEqualTo(Release.RELEASED);
      assertThat(granted(store, tryOnce("held")).number()).isEqualTo(2);
      pages[0] = 1000;
      store.renew(List.of(held), Fixture.WITHIN, (id, answer) -> {});
      assertThat(filled).isGreaterThan(1);
    }
    try (LeaseRowStore store = Fixture.open(file)) {
      granted(store, tryOnce("n".repeat(300)));
    }
  }

  @Test
  void aFullDiskFailsWithoutLossAndGoesOnOnceThereIsRoom() {
    Optional<List<String>> mounts = Child.ownMounts("mount -t tmpfs -o size=400k tmpfs " + dir);
    assumeTrue(mounts.isPresent(), "needs unshare --mount");
    try (Child child = Child.start(Path.of("/tmp"), mounts.get(), Puppet.class)) {
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("try a 1 600000")).isEqualTo("granted 1");
      assertThat(child.ask("fill " + dir + "/filler")).isEqualTo("filled");
      String answer = child.ask("try b0 100 600000");
      int number = 0;
      // There is room left in the last block of the log.
      while (answer.startsWith("granted")) {
        answer = child.ask("try b" + ++number + " " + (100 + number) + " 600000");
      }
      assertThat(answer).startsWith("UNAVAILABLE").contains("full");
      assertThat(child.ask("renew a 1 600000")).isEqualTo("Unknown");
      assertThat(child.ask("open " + dir + "/other.db")).startsWith("UNAVAILABLE");
      assertThat(child.ask("sh rm " + dir + "/filler")).isEqualTo("true");
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("try b" + number + " 999 600000")).isEqualTo("granted 1");
      assertThat(child.ask("renew a 1 600000")).isEqualTo("Renewed");
      assertThat(child.ask("release a 1 600000")).isEqualTo("RELEASED");
      assertThat(child.ask("try a 2 600000")).isEqualTo("granted 2");
    }
  }

  @Test
  void r12ACommitThatFailsInTheDiskIsAnUnknownOutcomeAndIsResolvedByAskingAgain() {
    assumeTrue(Child.run("prlimit", "--version"), "needs prlimit");
    try (Child child = Child.start(dir, Puppet.class);
        LeaseRowStore other = Fixture.open(file)) {
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("try a 1 600000")).isEqualTo("granted 1");
      assertThat(child.ask("release a 1 600000")).isEqualTo("RELEASED");
      assertThat(child.ask("limit 1000")).isEqualTo("ok");
      assertThat(child.ask("try a 2 600000")).startsWith("UNKNOWN_OUTCOME");
      assertThat(child.ask("sh prlimit --pid $PPID --fsize=unlimited:unlimited")).isEqualTo("true");
      assertThat(child.ask("try a 2 600000")).isEqualTo("granted 2");
      assertThat(child.ask("try a 2 600000")).isEqualTo("granted 2");
      busy(other, tryOnce("a"));
    }
  }

  @Test
  void aFileThatIsDeletedWhileItIsUsedIsNoticedByTheHolderAtItsNextRenewal() throws IOException {
    try (LeaseRowStore one = Fixture.open(file)) {
      Ticket held = tryOnce("a");
      granted(one, held);
      for (String suffix : new String[] {"", "-wal", "-shm"}) {
        Files.delete(Path.of(file + suffix));
      }
      try (LeaseRowStore two = Fixture.open(file)) {
        granted(two, tryOnce("a"));
        assertThat(renew(one, held)).isEqualTo(new Renewal.Gone());
        busy(one, tryOnce("a"));
      }
    }
  }

  @Test
  void aFileThatIsReplacedWhileItIsUsedIsNoticedByEveryVerb() throws IOException {
    Path other = dir.resolve("other.db");
    try (LeaseRowStore store = Fixture.open(other)) {
      granted(store, tryOnce("b"));
    }
    try (LeaseRowStore one = Fixture.open(file)) {
      Ticket held = Fixture.queue("a");
      granted(one, held);
      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      Files.delete(Path.of(file + "-wal"));
      Files.delete(Path.of(file + "-shm"));
      assertThat(renew(one, held)).isEqualTo(new Renewal.Gone());
      assertThat(release(one, held)).isEqualTo(Release.NOT_HELD);
      busy(one, tryOnce("b"));
    }
  }

  @Test
  void anIndexThatIsDeletedWhileItIsUsedDoesNotMakeTwoHolders() throws IOException {
    try (LeaseRowStore one = Fixture.open(file);
        Child two = Child.start(dir, Puppet.class)) {
      granted(one, tryOnce("a"));
      Files.delete(Path.of(file + "-shm"));
      assertThat(two.ask("open " + file)).isEqualTo("opened");
      assertThat(two.ask("try a 1 600000")).isEqualTo("busy");
      for (int i = 0; i < 10; i++) {
        assertThat(two.ask("try two" + i + " " + (100 + i) + " 600000")).isEqualTo("granted 1");
      }
      granted(one, tryOnce("b"));
      assertThat(two.ask("try b 2 600000")).isEqualTo("busy");
      assertThat(two.ask("try c 3 600000")).isEqualTo("granted 1");
      busy(one, tryOnce("c"));
      for (int i = 0; i < 10; i++) {
        busy(one, tryOnce("two" + i));
      }
    }
  }

  @Test
  void anIndexThatIsDeletedIsNotUsedOnBySeveralClientsOfOneProcess() throws IOException {
    try (LeaseRowStore one = Fixture.open(file);
        LeaseRowStore idle = Fixture.open(file);
        Child other = Child.start(dir, Puppet.class)) {
      granted(one, tryOnce("a"));
      granted(idle, tryOnce("b"));
      Files.delete(Path.of(file + "-shm"));
      assertThat(other.ask("open " + file)).isEqualTo("opened");
      assertThat(other.ask("try c 1 600000")).isEqualTo("granted 1");
      assertThatThrownBy(() -> Fixture.attempt(one, tryOnce("c")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("another client in this process")
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.UNAVAILABLE);
      idle.close();
      busy(one, tryOnce("c"));
    }
  }

  private static void refused(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(why)
        .extracting(e -> ((StoreException) e).failure())
        .isEqualTo(Failure.REFUSED);
  }

  private void sql(String statement) throws SQLException {
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var s = connection.createStatement()) {
      s.execute(statement);
    }
  }
}
