package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;

/** R4, R6, R8, R9, R10, R14 and R17 for leaders: what the lock promises, they have. */
public interface LeadershipRules {
  /** What one candidate hears. */
  final class Heard implements LeadershipListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void elected(Lease term) {
      events.add("elected");
    }

    @Override
    public void lost(LockEvent.Lost.Reason reason) {
      events.add("lost");
    }

    @Override
    public void resigned() {
      events.add("resigned");
    }

    /** In order. */
    public List<String> events() {
      return events;
    }

    /** Waits until it has heard these. */
    void await(Testbed bed, String... expected) {
      bed.await("the end of " + List.of(expected), () -> events.size() >= expected.length);
      assertThat(events.subList(0, expected.length)).containsExactly(expected);
    }
  }

  private static Leadership stand(Testbed bed, LockClient client) {
    return client.leadership(bed.name(), new Heard());
  }

  private static Lease elected(Testbed bed, Leadership candidate) throws InterruptedException {
    Optional<Lease> term = candidate.awaitLeadership(bed.patience());
    assertThat(term).as("%s is elected", candidate).isPresent();
    return term.orElseThrow();
  }

  /** Of one candidate after the other. */
  @ContractTest
  @DisplayName("R4 each term of a leader has a higher token")
  default void R04_eachTermHasAHigherToken(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    long last = 0;
    for (LockClient client : List.of(bed.one(), bed.two(), bed.one())) {
      try (Leadership leader = stand(bed, client)) {
        Lease term = elected(bed, leader);
        assertThat(term.fencingToken()).isGreaterThan(last);
        last = term.fencingToken();
      }
    }
  }

  /** By the removal of its lease. */
  @ContractTest
  @DisplayName("R6 a leader that an operator removed hears of it, and another is elected")
  default void R06_aLeaderThatAnOperatorRemovedHearsOfIt(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    Heard heard = new Heard();
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(3)));
    try (Leadership removed = doomed.leadership(bed.name(), heard)) {
      Lease term = elected(bed, removed);
      heard.await(bed, "elected");
      try (Leadership next = stand(bed, bed.two())) {
        assertThat(bed.lock(bed.open()).breakLease(term.fencingToken())).isTrue();
        elected(bed, next);
        heard.await(bed, "elected", "lost");
        assertThat(removed.isLeader()).isFalse();
      }
    }
  }

  /** Another waits. */
  @ContractTest
  @DisplayName("R6 a leader that the store forgot hears of it, and another is elected")
  default void R06_aLeaderThatTheStoreForgotHearsOfIt(Testbed bed) throws Exception {
    bed.needs(Ability.RESTART_EMPTY);
    Heard heard = new Heard();
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(3)));
    try (Leadership forgotten = doomed.leadership(bed.name(), heard)) {
      elected(bed, forgotten);
      heard.await(bed, "elected");
      try (Leadership next = stand(bed, bed.two())) {
        assertThat(next.awaitLeadership(Duration.ofMillis(50))).isEmpty();
        bed.fixture().restartEmpty();
        elected(bed, next);
        heard.await(bed, "elected", "lost");
        assertThat(forgotten.isLeader()).isFalse();
      }
    }
  }

  /** Of ten minutes. */
  @ContractTest
  @DisplayName("R8 a leader that resigns is followed by another at once")
  default void R08_aLeaderThatResignsIsFollowed(Testbed bed) throws Exception {
    Heard heard = new Heard();
    Leadership resigns = bed.one().leadership(bed.name(), heard);
    elected(bed, resigns);
    heard.await(bed, "elected");
    try (Leadership next = stand(bed, bed.two())) {
      assertThat(next.awaitLeadership(Duration.ofMillis(50))).isEmpty();
      resigns.resign();
      resigns.resign();
      assertThat(resigns.isLeader()).isFalse();
      assertThat(next.awaitLeadership(Testbed.SOON)).isPresent();
      heard.await(bed, "elected", "resigned");
      assertThat(resigns.awaitLeadership(Duration.ofMillis(50))).isEmpty();
    }
  }

  /** The ttl is ten minutes. */
  @ContractTest
  @DisplayName("R8 a leader that resigns is followed by another though the reply is lost")
  default void R08_aLeaderThatResignsIsFollowedThoughTheReplyIsLost(Testbed bed) throws Exception {
    LockClient cutOff = bed.open();
    Leadership resigns = stand(bed, cutOff);
    elected(bed, resigns);
    bed.faults(cutOff).lose(bed.faults(cutOff).requests(), Loss.REPLY);
    try {
      resigns.resign();
    } catch (StoreException unknown) {
      // A repeat that found nothing cannot tell a release from a loss
      assertThat(unknown.failure()).isEqualTo(StoreException.Failure.UNKNOWN_OUTCOME);
    }
    assertThat(resigns.isLeader()).isFalse();
    try (Leadership next = stand(bed, bed.two())) {
      assertThat(next.awaitLeadership(Testbed.SOON)).isPresent();
    }
  }

  /** It is not elected later. */
  @ContractTest
  @DisplayName("R9 a candidate that resigns leaves no trace")
  default void R09_aCandidateThatResignsLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Heard heard = new Heard();
    Leadership candidate = bed.two().leadership(bed.name(), heard);
    assertThat(candidate.awaitLeadership(Duration.ofMillis(50))).isEmpty();
    candidate.resign();
    bed.requireNothingLeft(bed.two());
    held.release();
    bed.requireFree();
    bed.requireNothingInTheStore();
    assertThat(heard.events()).isEmpty();
  }

  /** Nothing of it reaches the store any more. */
  @ContractTest
  @DisplayName("R10 a dead leader is replaced")
  default void R10_aDeadLeaderIsReplaced(Testbed bed) throws Exception {
    LockClient dies = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    elected(bed, stand(bed, dies));
    try (Leadership next = stand(bed, bed.two())) {
      bed.crash(dies);
      elected(bed, next);
    }
  }

  /** It asks again by itself. */
  @ContractTest
  @DisplayName(
      "R9 a candidate that cannot reach the store asks again, and leaves no trace of before")
  default void R09_aCandidateOutlastsAnOutage(Testbed bed) throws Exception {
    LockClient cutOff = bed.open();
    bed.faults(cutOff).cut();
    try (Leadership candidate = stand(bed, cutOff)) {
      assertThat(candidate.awaitLeadership(Duration.ofMillis(50))).isEmpty();
      bed.faults(cutOff).heal();
      elected(bed, candidate);
    }
  }

  /** Of ten minutes. */
  @ContractTest
  @DisplayName("R14 close ends a leadership, and another is elected at once")
  default void R14_closeEndsALeadership(Testbed bed) throws Exception {
    Heard heard = new Heard();
    LockClient closes = bed.open();
    Leadership leader = closes.leadership(bed.name(), heard);
    elected(bed, leader);
    heard.await(bed, "elected");
    try (Leadership next = stand(bed, bed.two())) {
      closes.close();
      assertThat(leader.isLeader()).isFalse();
      assertThat(next.awaitLeadership(Testbed.SOON)).isPresent();
      heard.await(bed, "elected", "lost");
    }
  }

  /** Its store is silent; its successor leads. */
  @ContractTest
  @DisplayName("R17 by the time the next leader is elected, isLeader is false for the previous one")
  default void R17_isLeaderIsFalseBeforeTheNextIsElected(Testbed bed) throws Exception {
    Heard heard = new Heard();
    LockClient paused = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    Leadership last = paused.leadership(bed.name(), heard);
    elected(bed, last);
    heard.await(bed, "elected");
    try (Leadership next = stand(bed, bed.two())) {
      bed.crash(paused);
      elected(bed, next);
      assertThat(last.isLeader()).isFalse();
      assertThat(last.lease()).isEmpty();
      heard.await(bed, "elected", "lost");
      List<LockSnapshot.Holder> leaders =
          bed.fixture().lacks(Ability.LIST).isPresent()
              ? List.of()
              : next.inspect().orElseThrow().holders();
      assertThat(leaders).hasSizeLessThanOrEqualTo(1);
    }
  }
}
