package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.StoreException;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** By what clock leases expire: of this boot of the host, and of no other. */
class FileStoreClockTest {
  private final ManualClock clock = new ManualClock();

  @TempDir Path dir;

  @Test
  void aLeaseOfAnotherBootIsFreeAndItsNumberStaysTaken() {
    Path file = dir.resolve("locks.db");
    Ticket held = tryOnce("a");
    try (LeaseRowStore store = Fixture.open(file, clock, "one", StatementHook.NONE)) {
      granted(store, held);
      Ticket waiting = Fixture.queue("a");
      busy(store, waiting);
    }
    try (LeaseRowStore store = Fixture.open(file, clock, "two", StatementHook.NONE)) {
      assertThat(Fixture.list(store)).isEmpty();
      assertThat(renew(store, held)).isEqualTo(new Renewal.Gone());
      assertThat(release(store, held)).isEqualTo(Release.NOT_HELD);
      assertThat(Fixture.breakLease(store, "a", 1)).isFalse();
      assertThat(granted(store, tryOnce("a"))).matches(g -> g.number() == 2 && !g.wanted());
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void onLinuxTheWallClockIsReadOnlyToNumberANewFile() {
    Path file = dir.resolve("locks.db");
    HostClock host = HostClock.of(clock, Path.of("/"));
    try (LeaseRowStore store = JdbcStoreProvider.open(file, clock, host, StatementHook.NONE, 0)) {
      Ticket held = Fixture.queue("a");
      granted(store, held);
      busy(store, Fixture.queue("a"));
      renew(store, held);
      Fixture.list(store);
      store.sweep();
      release(store, held);
      Fixture.withdraw(store, held);
      Fixture.breakLease(store, "a", 1);
    }
    try (LeaseRowStore store = JdbcStoreProvider.open(file, clock, host, StatementHook.NONE, 0)) {
      Fixture.list(store);
    }
    assertThat(clock.wallReads()).isEqualTo(1);
  }

  @Test
  void theOffsetOfATimeNamespaceIsTakenOff() throws IOException {
    Path root = Fixture.host(dir.resolve("x"), "boot");
    Files.createDirectories(root.resolve("proc/self"));
    assertThat(HostClock.of(clock, root).nanos()).isEqualTo(clock.nanos());
    Files.writeString(
        root.resolve("proc/self/timens_offsets"),
        "monotonic           100         5\nboottime           -7         0\n");
    assertThat(HostClock.of(clock, root).nanos()).isEqualTo(clock.nanos() - 100_000_000_005L);
    Files.writeString(
        root.resolve("proc/self/timens_offsets"), "monotonic  -100  5\nboottime  0  0\n");
    assertThat(HostClock.of(clock, root).nanos()).isEqualTo(clock.nanos() + 99_999_999_995L);
  }

  @Test
  void aProcessOutsideOfItsChildrensTimeNamespaceIsRefused() throws IOException {
    Path root = Fixture.host(dir.resolve("x"), "boot");
    Path ns = Files.createDirectories(root.resolve("proc/self/ns"));
    Files.writeString(root.resolve("proc/self/timens_offsets"), "monotonic 0 0\n");
    Files.createSymbolicLink(ns.resolve("time"), Path.of("time:[1]"));
    Files.createSymbolicLink(ns.resolve("time_for_children"), Path.of("time:[2]"));
    assertThatThrownBy(() -> HostClock.of(clock, root))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("--fork");
  }

  @Test
  void whereThereIsNoBootIdTheWallClockIsUsed() {
    Clock wall =
        new Clock() {
          @Override
          public long nanos() {
            return 5;
          }

          @Override
          public long wallMillis() {
            return 1_700_000_000_123L;
          }
        };
    HostClock host = HostClock.of(wall, dir);
    assertThat(host.epoch()).isEqualTo("wall");
    assertThat(host.nanos()).isEqualTo(1_700_000_000_123_000_000L);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aProcessInAnotherTimeNamespaceReadsTheSameClock() {
    List<String> other = List.of("unshare", "--time", "--fork", "--monotonic", "1000000");
    assumeTrue(
        Child.run("unshare", "--time", "--fork", "--monotonic", "1000000", "true"),
        "needs unshare --time");
    Path file = dir.resolve("locks.db");
    try (Child far = Child.start(dir, other, Puppet.class);
        LeaseRowStore near = Fixture.open(file)) {
      assertThat(far.ask("open " + file)).isEqualTo("opened");
      assertThat(far.ask("try a 1 600000")).isEqualTo("granted 1");
      busy(near, tryOnce("a"));
      assertThat(only(near, "a").holders().get(0).remaining())
          .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
      granted(near, tryOnce("b"));
      assertThat(far.ask("try b 2 600000")).isEqualTo("busy");
      assertThat(Long.parseLong(far.ask("remaining b"))).isBetween(540_000L, 600_000L);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aStepOfTheWallClockMovesNoLease() throws IOException {
    Path shim = shim();
    Path steps = dir.resolve("steps");
    Files.write(steps, new byte[4096]);
    List<String> env = List.of("env", "LD_PRELOAD=" + shim, "CLOCKSHIM=" + steps);
    Path file = dir.resolve("locks.db");
    try (Child child = Child.start(dir, env, Puppet.class);
        LeaseRowStore other = Fixture.open(file)) {
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("try a 1 600000")).isEqualTo("granted 1");
      long before = Long.parseLong(child.ask("wall"));
      for (Duration step : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
        step(steps, step);
        long stepped = Long.parseLong(child.ask("wall")) - before;
        assertThat(Duration.ofMillis(stepped))
            .as("the step")
            .isCloseTo(step, Duration.ofMinutes(1));
        assertThat(Long.parseLong(child.ask("remaining a"))).isBetween(540_000L, 600_000L);
        assertThat(child.ask("try a 2 600000")).isEqualTo("busy");
        busy(other, tryOnce("a"));
        assertThat(child.ask("renew a 1 600000")).isEqualTo("Renewed");
        assertThat(only(other, "a").holders().get(0).remaining())
            .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
      }
    }
  }

  /** A library that adds what stands in a file to the wall clock of the process that loads it. */
  private Path shim() throws IOException {
    Path source = dir.resolve("shim.c");
    try (InputStream text = FileStoreClockTest.class.getResourceAsStream("wall-clock-shim.c")) {
      Files.copy(text, source);
    }
    Path shim = dir.resolve("shim.so");
    assumeTrue(
        Child.run("gcc", "-O2", "-shared", "-fPIC", "-o", shim.toString(), source.toString()),
        "needs gcc");
    return shim;
  }

  private static void step(Path file, Duration by) throws IOException {
    ByteBuffer nanos = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    nanos.putLong(by.toNanos()).flip();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(nanos, 0);
    }
  }
}
