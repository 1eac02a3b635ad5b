package io.leasehold.testkit.simulation;

import io.leasehold.LockMode;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.List;

/** Watches who waits at the store: whether places are kept, and no reader passes a writer. */
final class PlaceJudge {
  /** A little less than the store's. */
  private static final long LONGEST_CONFIRM = 1_980 * Plan.MS;

  private final World world;
  private final Judge judge;
  private final List<LeaseId> places = new ArrayList<>();
  private final List<LeaseId> served = new ArrayList<>();

  PlaceJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  void begins(LeaseId key, Acquisition id) {
    id.queued = true;
    id.queuedAt = world.time.now();
    places.add(key);
  }

  /** Whether those who wait keep their places. */
  void look() {
    for (int i = places.size() - 1; i >= 0; i--) {
      LeaseId key = places.get(i);
      Acquisition id = judge.ids.get(key);
      if (id.last != null) {
        places.remove(i);
      } else if (world.server.waits(id.name, key)) {
        // A grant that its waiter did not ask for in time falls back behind the others; and a place
        // that ran out may be taken again at the instant at which the server notices
        id.lapsed |= id.grantedUnseen || world.time.now() >= id.placeEnds;
        id.placeEnds = world.time.now() + world.server.placeLeft(id.name, key).toNanos();
      } else if (world.server.holds(id.name, key)) {
        if (!id.grantedUnseen && !id.granted) {
          served.add(key);
        }
        sawGranted(id);
      } else {
        id.lapsed = true;
        places.remove(i);
      }
    }
    // Once it is known who else has lost his place at this instant
    served.forEach(key -> mustComeAfterWriters(key, judge.ids.get(key)));
    served.clear();
  }

  /** Taken back and granted again within one instant, it has another number, and lost its turn. */
  private void sawGranted(Acquisition id) {
    if (!id.grantedUnseen) {
      id.unseenSince = world.time.now();
    }
    long confirm = world.plan.store().poll().longest().toNanos() / 100 * 145;
    boolean tooLong = world.time.now() - id.unseenSince > Math.min(confirm, LONGEST_CONFIRM);
    id.lapsed |= tooLong && !id.granted;
    id.grantedUnseen = true;
  }

  /** A ticket was granted just now. */
  void mustComeAfterWriters(LeaseId key, Acquisition id) {
    if (id.ticket.mode() != LockMode.SHARED || id.lapsed) {
      return;
    }
    long since = id.queued ? id.queuedAt : world.time.now();
    for (LeaseId other : places) {
      Acquisition writer = judge.ids.get(other);
      if (writer.ticket.mode() == LockMode.EXCLUSIVE
          && writer.name.equals(id.name)
          && !writer.lapsed
          && writer.queuedAt < since
          && world.server.waits(writer.name, other)) {
        judge.fail(
            Check.READER_ORDER,
            world.trace.id(key)
                + " was granted shared, though the writer "
                + world.trace.id(other)
                + " waited before");
      }
    }
  }
}
