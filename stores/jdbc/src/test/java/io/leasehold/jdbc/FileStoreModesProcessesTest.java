package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.fair;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.queued;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.jdbc.Hammer.Grant;
import io.leasehold.jdbc.Hammer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared leases, permits and the queue among several processes, some of which are killed. */
class FileStoreModesProcessesTest {
  private static final Duration TTL = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path dir;

  @Test
  void r20FairOnesAreGrantedInOrderAndOneThatWasKilledIsPassedWithinItsTtl() {
    Path file = dir.resolve("locks.db");
    List<Child> children = new ArrayList<>();
    try (LeaseRowStore store = Fixture.open(file)) {
      Ticket holder = tryOnce("a");
      granted(store, holder);
      for (int i = 0; i < 5; i++) {
        Child child = Child.start(dir, Puppet.class);
        children.add(child);
        assertThat(child.ask("open " + file)).isEqualTo("opened");
      }
      // One after another at once: the place of the one to be killed lapses soon
      for (int i = 0; i < 5; i++) {
        assertThat(children.get(i).ask("queue" + waiting(i))).isEqualTo("queued " + i);
      }
      Ticket last = fair(queue("a"));
      queued(5, store, last);
      // Those that come later ask first.
      for (int i = 4; i >= 0; i--) {
        children.get(i).say("acquire" + waiting(i));
      }
      children.get(2).signal("KILL");
      assertThat(children.get(2).end()).last().isEqualTo("exit 137");
      long killed = System.nanoTime();
      release(store, holder);
      long number = 1;
      for (int i : new int[] {0, 1, 3, 4}) {
        assertThat(renew(store, last)).isEqualTo(new Renewal.Waiting());
        assertThat(children.get(i).line()).as("child %s", i).isEqualTo("granted " + ++number);
        if (i == 3) {
          assertThat(Duration.ofNanos(System.nanoTime() - killed))
              .isLessThan(Duration.ofMillis(LIFE_OF_THE_KILLED).plusSeconds(2));
        }
        assertThat(children.get(i).ask("release" + waiting(i))).isEqualTo("RELEASED");
      }
      assertThat(granted(store, last).number()).isEqualTo(6);
    } finally {
      children.forEach(Child::close);
    }
  }

  private static final int LIFE_OF_THE_KILLED = 4000;

  private static String waiting(int i) {
    return " a " + i + " " + (i == 2 ? LIFE_OF_THE_KILLED : 600_000) + " fair";
  }

  @Test
  void aStreamOfReadersDoesNotStarveAWriter() {
    Path file = dir.resolve("locks.db");
    List<Child> readers = new ArrayList<>();
    try (LeaseRowStore store = Fixture.open(file)) {
      for (int i = 0; i < 2; i++) {
        readers.add(hammer(file, Kind.READERS, i, Duration.ofMinutes(10)));
      }
      for (int round = 0; round < 5; round++) {
        await()
            .atMost(PATIENCE)
            .until(() -> Fixture.list(store).stream().anyMatch(l -> l.holders().size() > 1));
        Ticket writer = queue("a");
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> attempt(store, writer) instanceof Attempt.Granted);
        release(store, writer);
      }
    } finally {
      readers.forEach(Child::close);
    }
  }

  @Test
  void r1r4ReadersAndWritersDoNotOverlapAndTheirNumbersTellTheirOrder() throws IOException {
    List<Grant> grants = hammer(Kind.MIXED);
    grants.sort(Comparator.comparingLong(Grant::number));
    Set<Long> numbers = new HashSet<>();
    for (Grant later : grants) {
      assertThat(numbers.add(later.number())).as("%s twice", later).isTrue();
      for (Grant earlier : grants) {
        if (earlier.number() >= later.number()) {
          break;
        }
        if (earlier.mode().equals("EXCLUSIVE") || later.mode().equals("EXCLUSIVE")) {
          assertThat(later.granted()).as("%s then %s", earlier, later).isGreaterThan(earlier.end());
        }
      }
    }
  }

  @Test
  void r1NoMorePermitsAreOutThanThereAre() throws IOException {
    record Change(long at, int permits) {}

    List<Change> changes = new ArrayList<>();
    for (Grant grant : hammer(Kind.PERMITS)) {
      if (grant.granted() < grant.end()) {
        changes.add(new Change(grant.granted(), grant.permits()));
        changes.add(new Change(grant.end(), -grant.permits()));
      }
    }
    changes.sort(Comparator.comparingLong(Change::at).thenComparingInt(Change::permits));
    int out = 0;
    int most = 0;
    for (Change change : changes) {
      out += change.permits();
      most = Math.max(most, out);
    }
    // That all four can be out is the contract's; on a busy machine the processes may never meet so
    assertThat(most).as("permits of four that were out at once").isLessThanOrEqualTo(4);
  }

  /** What three processes were granted, which were killed at random and started again. */
  private List<Grant> hammer(Kind kind) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Path file = dir.resolve("locks.db");
    List<Child> alive = new ArrayList<>();
    int kills = 4;
    try {
      for (int kill = 0; kill < kills; kill++) {
        while (alive.size() < 3) {
          alive.add(hammer(file, kind, 10 * kill + alive.size(), TTL));
        }
        Grant.awaitMore(dir, 20 * (kill + 1));
        long end = System.nanoTime() + random.nextInt(300_000_000);
        await().until(() -> System.nanoTime() - end > 0);
        alive.remove(random.nextInt(alive.size())).close();
      }
    } finally {
      alive.forEach(Child::close);
    }
    return Grant.readAll(dir, TTL);
  }

  private Child hammer(Path file, Kind kind, int number, Duration ttl) {
    Child child =
        Child.start(
            dir,
            Hammer.class,
            file.toString(),
            dir.resolve("grants" + number).toString(),
            Long.toString(ttl.toMillis()),
            kind.name());
    assertThat(child.line()).isEqualTo("ready");
    return child;
  }
}
