package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.quorum.QuorumStore;
import io.leasehold.internal.quorum.QuorumStore.Seat;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Busy;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which members of a quorum are asked, and when: in virtual time. */
class QuorumHedgeTest {
  static final long MILLI = 1_000_000;
  static final Duration WITHIN = Duration.ofSeconds(1);
  private static final Duration TTL = Duration.ofMinutes(10);

  /** Its majority are the members 1 and 2, as long as they are prompt. */
  static final String NAME = "a";

  private final Timeline time = new Timeline();

  /** How often the clock is read before this happens. */
  private int reads = -1;

  private Runnable atRead = () -> {};

  private final Clock clock =
      new Clock() {
        @Override
        public long nanos() {
          if (reads-- == 0) {
            atRead.run();
          }
          return time.now();
        }

        @Override
        public long wallMillis() {
          return 1_790_000_000_000L + time.now() / MILLI;
        }
      };

  final List<Member> members = Stream.generate(Member::new).limit(3).toList();
  private final LockStore store =
      QuorumStore.open(
          clock,
          () -> new TimelineThreads(time),
          () -> 0.5,
          List.of(seat(0), seat(1), seat(2)),
          new DeafListener());
  private long sequence;

  /** Of the members. Without tombstones: what lands after a withdrawal stays. */
  Set<Feature> features() {
    return Set.of(Feature.QUEUE);
  }

  private Seat seat(int member) {
    return new Seat("member " + member, listener -> members.get(member));
  }

  /** A server, and the way there. */
  final class Member implements LockStore {
    final InMemoryServer server =
        new InMemoryServer(
            InMemorySettings.defaults().withFeatures(features().toArray(Feature[]::new)),
            clock,
            Runnable::run);

    final LockStore direct = server.connect(new DeafListener());
    int attempts;
    int releases;
    int withdrawals;

    /** How long it takes to answer; 0 for an answer before the verb returns. */
    long delay = MILLI / 10;

    boolean isDown;
    boolean isSilent;

    private <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> verb) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      if (isDown) {
        answer.completeExceptionally(new StoreException(Failure.UNAVAILABLE, "it is down", null));
      } else if (!isSilent) {
        T value = verb.get().toCompletableFuture().join();
        if (delay == 0) {
          answer.complete(value);
        } else {
          time.in(delay, () -> answer.complete(value));
        }
      }
      return answer;
    }

    @Override
    public Traits traits() {
      return direct.traits();
    }

    @Override
    public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
      attempts++;
      return answer(() -> direct.attempt(ticket, within));
    }

    @Override
    public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
      withdrawals++;
      return answer(() -> direct.withdraw(ticket, within));
    }

    @Override
    public CompletionStage<Release> release(Ticket ticket, Duration within) {
      releases++;
      return answer(() -> direct.release(ticket, within));
    }

    @Override
    public void renew(
        Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
      direct.renew(tickets, within, each);
    }

    @Override
    public void close() {
      direct.close();
    }
  }

  void pass(long nanos) {
    long until = time.now() + nanos;
    while (time.step(until)) {}
  }

  Ticket ticket(String name, Intent intent) {
    LeaseId id = new LeaseId(1, ++sequence);
    return new Ticket(name, id, LockMode.EXCLUSIVE, 1, 1, TTL, intent, false, "a client");
  }

  CompletableFuture<Attempt> attempt(Ticket ticket) {
    return store.attempt(ticket, WITHIN).toCompletableFuture();
  }

  CompletableFuture<Release> release(Ticket ticket) {
    return store.release(ticket, WITHIN).toCompletableFuture();
  }

  /** Another client has it with this member, by the ticket that this answers. */
  Ticket occupy(int member) {
    Ticket stranger = ticket(NAME, Intent.TRY);
    Attempt answer =
        members.get(member).direct.attempt(stranger, WITHIN).toCompletableFuture().join();
    assertThat(answer).isInstanceOf(Granted.class);
    return stranger;
  }

  void free(int member, Ticket stranger) {
    assertThat(members.get(member).direct.release(stranger, WITHIN).toCompletableFuture().join())
        .isEqualTo(Release.RELEASED);
  }

  private List<Integer> attempts() {
    return members.stream().map(member -> member.attempts).toList();
  }

  private void forgetCounts() {
    for (Member member : members) {
      member.attempts = 0;
      member.releases = 0;
      member.withdrawals = 0;
    }
  }

  /** Until all have answered one attempt, none is known to be prompt. */
  @BeforeEach
  void askAllOnce() {
    Ticket first = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> granted = attempt(first);
    assertThat(attempts()).containsExactly(1, 1, 1);
    pass(MILLI);
    assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
    release(first);
    pass(MILLI);
    forgetCounts();
  }

  @AfterEach
  void nothingIsLeft() {
    members.forEach(member -> member.isSilent = false);
    members.forEach(member -> member.isDown = false);
    pass(120_000 * MILLI);
    assertThat(members).allSatisfy(member -> assertThat(member.server.list()).isEmpty());
  }

  /** From now on these are slower than a prompt member. */
  private void answerLate(int... slow) {
    for (int member : slow) {
      members.get(member).delay = 3 * MILLI;
    }
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    pass(10 * MILLI);
    release(ticket);
    pass(10 * MILLI);
  }

  // ---- a majority that is prompt

  @Test
  void aLockThatIsHeldForAMomentCostsAMajorityOnly() {
    for (int i = 0; i < 100; i++) {
      Ticket ticket = ticket(NAME, Intent.QUEUE);
      CompletableFuture<Attempt> granted = attempt(ticket);
      pass(MILLI / 10);
      assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
      CompletableFuture<Release> released = release(ticket);
      pass(MILLI / 10);
      assertThat(released).isCompletedWithValue(Release.RELEASED);
    }
    pass(1000 * MILLI);
    assertThat(attempts()).containsExactly(0, 100, 100);
    assertThat(members).extracting(member -> member.releases).containsExactly(0, 100, 100);
    assertThat(members).extracting(member -> member.withdrawals).containsExactly(0, 0, 0);
  }

  @Test
  void theOthersAreAskedWhileItIsHeld() {
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    pass(2 * MILLI - 1);
    assertThat(attempts()).containsExactly(0, 1, 1);
    pass(MILLI + 1);
    assertThat(attempts()).containsExactly(1, 1, 1);
    assertThat(members.get(0).server.holds(NAME, ticket.id())).isTrue();
    CompletableFuture<Release> released = release(ticket);
    pass(MILLI);
    assertThat(released).isCompletedWithValue(Release.RELEASED);
    assertThat(members).extracting(member -> member.releases).containsExactly(1, 1, 1);
  }

  @Test
  void ifOneCannotBeAskedForTheNextIs() {
    Ticket first = ticket("a", Intent.TRY);
    Ticket second = ticket("d", Intent.TRY);
    attempt(first);
    attempt(second);
    pass(MILLI);
    assertThat(attempts()).as("the same majority").containsExactly(0, 2, 2);
    // The first reading is the timer's, the next that of the first question
    reads = 1;
    atRead =
        () -> {
          throw new StackOverflowError("planted");
        };
    pass(2 * MILLI);
    assertThat(attempts()).containsExactly(1, 2, 2);
    assertThat(members.get(0).server.holds("d", second.id())).isTrue();
    release(first);
    release(second);
  }

  @Test
  void eachNameHasItsOwnMajority() {
    for (String name : List.of("a", "b", "c")) {
      Ticket ticket = ticket(name, Intent.TRY);
      attempt(ticket);
      pass(MILLI / 2);
      release(ticket);
      pass(MILLI / 2);
    }
    assertThat(attempts()).containsExactly(2, 2, 2);
  }

  /** One of the two that had it does not: that is a majority with the one that was not asked. */
  @Test
  void itIsReleasedWithTheFirstAnswer() {
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    pass(MILLI / 2);
    members.get(2).isSilent = true;
    CompletableFuture<Release> released = release(ticket);
    pass(MILLI / 2);
    assertThat(released).isCompletedWithValue(Release.RELEASED);
    assertThat(members.get(2).server.holds(NAME, ticket.id())).isTrue();
  }

  @Test
  void r5WhatNoMemberHadIsNotReleased() {
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    pass(MILLI / 2);
    members.get(1).server.restartEmpty();
    members.get(2).server.restartEmpty();
    CompletableFuture<Release> released = release(ticket);
    pass(MILLI / 2);
    assertThat(released).isCompletedWithValue(Release.NOT_HELD);
  }

  @Test
  void whatIsWithdrawnAsksNoMoreMembers() {
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    pass(MILLI / 2);
    CompletableFuture<Boolean> isFinal = store.withdraw(ticket, WITHIN).toCompletableFuture();
    pass(1000 * MILLI);
    assertThat(isFinal).isCompletedWithValue(true);
    assertThat(attempts()).containsExactly(0, 1, 1);
  }

  // ---- members that are not

  @Test
  void ifOneFailsTheOthersAreAskedAtOnce() {
    members.get(1).isDown = true;
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> granted = attempt(ticket);
    assertThat(attempts()).containsExactly(1, 1, 1);
    pass(MILLI / 10);
    assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
    release(ticket);
  }

  @Test
  void oneThatIsSilentDelaysOneAttempt() {
    members.get(1).isSilent = true;
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> granted = attempt(ticket);
    pass(MILLI);
    assertThat(granted).isNotDone();
    pass(2 * MILLI + MILLI / 10);
    assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
    release(ticket);
    pass(MILLI);
    forgetCounts();
    Ticket next = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> prompt = attempt(next);
    assertThat(attempts()).as("the others are a majority").containsExactly(1, 0, 1);
    pass(MILLI / 10);
    assertThat(prompt).isCompletedWithValueMatching(Granted.class::isInstance);
    release(next);
  }

  @Test
  void ifNoMajorityIsPromptAllAreAskedAtOnce() {
    answerLate(1, 2);
    forgetCounts();
    Ticket ticket = ticket(NAME, Intent.TRY);
    attempt(ticket);
    assertThat(attempts()).containsExactly(1, 1, 1);
    pass(10 * MILLI);
    release(ticket);
  }

  // ---- contention

  @Test
  void ifOneIsBusyTheOthersDecide() {
    Ticket stranger = occupy(2);
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> granted = attempt(ticket);
    pass(MILLI / 10);
    assertThat(attempts()).containsExactly(1, 1, 1);
    pass(MILLI / 10);
    assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
    release(ticket);
    free(2, stranger);
  }

  /** A withdrawal that comes there before the release would make it look lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsReleasedAtOnceIsNotWithdrawnWhereItsGrantCounted(boolean askedLate) {
    members.get(0).delay = 0;
    members.get(1).isSilent = askedLate;
    Ticket stranger = occupy(askedLate ? 1 : 2);
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Release> released = attempt(ticket).thenCompose(granted -> release(ticket));
    pass(3 * MILLI);
    assertThat(released).isCompletedWithValue(Release.RELEASED);
    assertThat(attempts()).containsExactly(1, 1, 1);
    assertThat(members.get(0).releases).isEqualTo(1);
    assertThat(members.get(0).withdrawals).isZero();
    free(askedLate ? 1 : 2, stranger);
  }

  @Test
  void ifAMajorityIsBusyTheOthersAreNotAsked() {
    Ticket first = occupy(1);
    Ticket second = occupy(2);
    CompletableFuture<Attempt> busy = attempt(ticket(NAME, Intent.TRY));
    pass(MILLI / 10);
    assertThat(busy).isCompletedWithValueMatching(Busy.class::isInstance);
    pass(1000 * MILLI);
    assertThat(attempts()).containsExactly(0, 1, 1);
    free(1, first);
    free(2, second);
  }

  /** Else it would wait for both of those that were asked first, though one of them may fail. */
  @Test
  void aTicketThatWaitsIsKnownToAll() {
    Ticket holder = ticket(NAME, Intent.TRY);
    attempt(holder);
    pass(10 * MILLI);
    forgetCounts();
    Ticket ticket = ticket(NAME, Intent.QUEUE);
    CompletableFuture<Attempt> busy = attempt(ticket);
    pass(MILLI / 10);
    assertThat(busy).isCompletedWithValueMatching(Busy.class::isInstance);
    assertThat(attempts()).containsExactly(1, 1, 1);
    assertThat(members).allSatisfy(one -> assertThat(one.server.waits(NAME, ticket.id())).isTrue());
    store.withdraw(ticket, WITHIN);
    release(holder);
  }

  // ---- what comes late

  /** Wherever it comes while the others are about to be asked: it may be there before they are. */
  @Test
  void r9AReleaseMeanwhileLeavesNothing() {
    members.get(0).delay = 0;
    for (int n = 0; n < 8; n++) {
      Ticket ticket = ticket(NAME, Intent.TRY);
      attempt(ticket);
      pass(MILLI);
      List<CompletableFuture<Release>> released = new ArrayList<>();
      atRead = () -> released.add(release(ticket));
      reads = n;
      pass(10 * MILLI);
      reads = -1;
      if (released.isEmpty()) {
        atRead.run();
        pass(MILLI);
      }
      assertThat(released.get(0)).isCompletedWithValue(Release.RELEASED);
      assertThat(members).allSatisfy(member -> assertThat(member.server.list()).isEmpty());
    }
  }

  /** The second asks all; that must not take from the first the member that decides it. */
  @Test
  void twoAttemptsOfOneIdAreBothAnswered() {
    members.get(1).isSilent = true;
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> first = attempt(ticket);
    CompletableFuture<Attempt> second = attempt(ticket);
    assertThat(attempts()).containsExactly(1, 2, 2);
    pass(10 * MILLI);
    assertThat(first).isCompletedWithValueMatching(Granted.class::isInstance);
    assertThat(second).isCompletedWithValueMatching(Granted.class::isInstance);
    members.get(1).isSilent = false;
    CompletableFuture<Release> released = release(ticket);
    pass(10 * MILLI);
    assertThat(released).isCompletedWithValue(Release.RELEASED);
    assertThat(members.get(0).server.list()).isEmpty();
  }

  /** A member grants late what a lost vote asked for; the next one does not ask it. */
  @Test
  void r9TheLateGrantOfALostVoteIsReleasedToo() {
    answerLate(1);
    members.get(1).delay = MILLI / 10;
    members.get(0).delay = 20 * MILLI;
    Ticket first = occupy(1);
    Ticket second = occupy(2);
    // Member 0 counts as prompt, and is asked with member 2 as the majority; then member 1 as well
    Ticket ticket = ticket(NAME, Intent.TRY);
    CompletableFuture<Attempt> lost = attempt(ticket);
    pass(19 * MILLI);
    assertThat(lost).isCompletedWithValueMatching(Busy.class::isInstance);
    assertThat(members.get(0).server.holds(NAME, ticket.id())).isTrue();
    free(1, first);
    free(2, second);
    forgetCounts();
    pass(MILLI - MILLI / 20);
    CompletableFuture<Attempt> granted = attempt(ticket);
    assertThat(attempts()).containsExactly(0, 1, 1);
    pass(MILLI / 10);
    assertThat(granted).isCompletedWithValueMatching(Granted.class::isInstance);
    members.get(0).delay = MILLI / 10;
    release(ticket);
    pass(MILLI);
    assertThat(members.get(0).server.list()).isEmpty();
  }
}
