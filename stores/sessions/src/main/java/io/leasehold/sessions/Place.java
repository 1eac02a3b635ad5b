package io.leasehold.sessions;

import io.leasehold.LockMode;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.Session.Entered;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition: its entry, and what this client knows of it. A request that makes or removes the
 * entry is sent with the monitor, so that the store gets them in the order in which they were
 * decided; answers come without it. Thread-safe.
 */
final class Place {
  static final Attempt BUSY = new Attempt.Busy(Duration.ZERO, "");

  final Ticket ticket;

  /** When the engine last asked for it. */
  volatile long heard;

  private final Sessions sessions;
  private final StoreListener listener;

  /** The session of the entry; null before the first request. */
  private volatile @Nullable OpenSession session;

  /** The entry; null if it was not made, or nothing is known of it. */
  private @Nullable Entry own;

  /**
   * How many requests to make the entry were sent in this session and may still take effect: not
   * answered yet, or with an outcome that is not known. A store may be slow with one, so a later
   * answer says nothing of it.
   */
  private int mayComeLate;

  /** Whether the store was told to make no entry any more. */
  private boolean takenBack;

  /** How many attempts of the engine are under way. */
  private int attempts;

  /** Whether it was granted the lock. */
  private boolean granted;

  /** Whether it was withdrawn or released, or lost the lock. */
  private boolean over;

  /**
   * Why it does not get the lock, to be answered once its entry is removed; null while it may get
   * it. The removal may take effect late, so the entry is not believed any more.
   */
  private @Nullable Attempt refusal;

  /** Whether it is to be woken. */
  private boolean watching;

  private final InTheWay inTheWay = new InTheWay();

  /** What a renewal has read last; null before the first. */
  private @Nullable Read lastRead;

  Place(Ticket ticket, Sessions sessions, StoreListener listener) {
    this.ticket = ticket;
    this.sessions = sessions;
    this.listener = listener;
  }

  synchronized boolean isGranted() {
    return granted;
  }

  /** An attempt begins. It may do so while another one, whose answer is late, is under way. */
  synchronized void begin(long now) {
    heard = now;
    attempts++;
  }

  /** An attempt ends. Whether nothing of it is in the store, and nothing on the way. */
  synchronized boolean isNothingAtEnd() {
    attempts--;
    return attempts == 0 && isNothing();
  }

  /** Whether it has no entry, and gets none. */
  synchronized boolean isGone() {
    OpenSession in = session;
    return in == null || in.hasEnded() || isNothing();
  }

  private synchronized boolean isNothing() {
    return own == null && !isInDoubt();
  }

  private boolean isInDoubt() {
    return mayComeLate > 0 && !takenBack;
  }

  /**
   * An entry that stands, as far as is known. An answer about it says nothing of a later one of the
   * same acquisition.
   */
  record Standing(OpenSession in, Entry entry) {}

  /** What stood under the name, not before this time. */
  record Read(List<Entry> all, long at) {
    static final Read NOTHING = new Read(List.of(), 0);
  }

  /** Null if there is none. */
  synchronized @Nullable Standing standing() {
    OpenSession in = session;
    Entry entry = own;
    return entry != null && in != null && !in.hasEnded() ? new Standing(in, entry) : null;
  }

  private boolean isStill(Standing asked) {
    return own != null && session == asked.in && own.isSameAs(asked.entry);
  }

  /** It is not in its session any more. */
  void forget() {
    OpenSession in = session;
    if (in != null) {
      in.remove(this);
    }
  }

  // ---- attempt

  CompletionStage<Attempt> attempt(Duration within) {
    OpenSession in = session;
    return in != null && !in.hasEnded()
        ? attempt(in, within)
        : sessions.of(ticket.ttl()).thenCompose(opened -> attempt(opened, within));
  }

  private CompletionStage<Attempt> attempt(OpenSession in, Duration within) {
    CompletionStage<Entered> enter = null;
    Standing standing;
    Attempt why;
    synchronized (this) {
      standing = standing();
      over |= granted && standing == null;
      if (over) {
        return answer(BUSY);
      }
      why = refusal;
      if (standing == null && in.add(this)) {
        enter = enter(in, within);
      }
    }
    if (enter != null) {
      return enter
          .thenCompose(
              entered -> judge(new Standing(in, entered.own()), entered.all(), true, within))
          .handle((answer, failed) -> failed == null ? answer(answer) : failed(in, failed, within))
          .thenCompose(answer -> answer);
    }
    if (standing == null) {
      // The session has just ended
      return attempt(within);
    }
    return why == null ? reread(standing, within) : refused(standing, why, within);
  }

  /** Looks at an entry that was granted the lock unread: a person may have removed it. */
  private void check(Standing standing) {
    standing
        .in
        .session()
        .read(List.of(ticket.name()), ticket.ttl())
        .whenComplete(
            (all, failed) -> {
              if (failed == null && isLost(standing, all)) {
                listener.lost(List.of(ticket.id()));
              }
            });
  }

  private synchronized boolean isLost(Standing asked, List<Entry> all) {
    boolean isHeld = granted && !over && isStill(asked);
    boolean isLost = isHeld && Admission.indexOf(all, asked.entry.key()) < 0;
    over |= isLost;
    return isLost;
  }

  /**
   * The lock by what is known; null if that is not enough. With permits it is not: the next waiter
   * is woken if there is one by now.
   */
  private synchronized @Nullable Granted grantUnread(Standing standing) {
    Admission now = inTheWay.of(standing.entry);
    long left = standing.in.left();
    boolean mayHold = waits() && refusal == null && isStill(standing) && left > 0;
    if (!mayHold || now == null || !now.holds() || ticket.mode() == LockMode.PERMITS) {
      return null;
    }
    granted = true;
    watching = false;
    // It may not have asked for long, and counts on the lease from now on
    heard = standing.in.now();
    return new Granted(standing.entry.number(), Duration.ofNanos(left), now.wanted());
  }

  /** With the monitor. */
  private CompletionStage<Entered> enter(OpenSession in, Duration within) {
    if (session != in) {
      // With an earlier session its entries ended, and what was still on its way
      mayComeLate = 0;
      takenBack = false;
    }
    session = in;
    own = null;
    refusal = null;
    inTheWay.clear();
    mayComeLate++;
    return in.session()
        .enter(ticket, within)
        .whenComplete((entered, failed) -> entered(in, entered, failed));
  }

  private synchronized void entered(
      OpenSession in, @Nullable Entered entered, @Nullable Throwable failed) {
    if (session == in) {
      own = entered == null ? own : entered.own();
      if (failed == null || !Failures.mayHaveTakenEffect(failed)) {
        mayComeLate--;
      }
    }
  }

  private CompletionStage<Attempt> failed(OpenSession in, Throwable failed, Duration within) {
    return in.hasEnded()
        ? attempt(within)
        : CompletableFuture.failedFuture(isNothing() ? failed : Failures.afterEntering(failed));
  }

  private CompletionStage<Attempt> reread(Standing standing, Duration within) {
    return standing
        .in
        .session()
        .read(List.of(ticket.name()), within)
        .thenCompose(all -> judge(standing, all, false, within));
  }

  /**
   * Answers by what stands under the name.
   *
   * @param first whether the ticket has just entered: later what is of another kind may be about to
   *     leave
   */
  private CompletionStage<Attempt> judge(
      Standing standing, List<Entry> all, boolean first, Duration within) {
    Entry mine = standing.entry;
    Admission now = null;
    boolean holds = false;
    synchronized (this) {
      if (over) {
        return answer(BUSY);
      }
      int index = Admission.indexOf(all, mine.key());
      if (isStill(standing)) {
        if (index < 0) {
          own = null;
          over = granted;
        } else {
          now = Admission.of(all, index);
          // Another attempt, with a later list, may have been granted before
          holds = granted || now.holds();
          inTheWay.read(all, now);
        }
      }
    }
    if (now == null) {
      return attempt(within);
    }
    Entry head = all.get(0);
    if (first && !mine.isOfOneKindWith(head)) {
      return refuse(standing, new Attempt.OtherKind(head.mode(), head.limit()), within);
    }
    if (holds) {
      return grant(standing, now, within);
    }
    return ticket.intent() == Ticket.Intent.TRY
        ? leaveBusy(standing, head, within)
        : queue(standing, now, head, within);
  }

  private CompletionStage<Attempt> grant(Standing standing, Admission now, Duration within) {
    OpenSession in = standing.in;
    Entry mine = standing.entry;
    long left = in.left();
    if (left <= 0) {
      return in.beat()
          .thenCompose(
              done ->
                  in.left() <= 0
                      ? CompletableFuture.failedFuture(Failures.sessionInDoubt())
                      : grant(standing, now, within));
    }
    boolean tellNext = false;
    boolean isStill;
    Attempt why;
    synchronized (this) {
      if (over) {
        return answer(BUSY);
      }
      isStill = isStill(standing);
      why = refusal;
      if (isStill && why == null) {
        tellNext = watching && now.isFollowed() && mine.mode() == LockMode.PERMITS;
        granted = true;
        watching = false;
      }
    }
    if (why != null) {
      return refused(standing, why, within);
    }
    if (!isStill) {
      // Another attempt has found it gone
      return attempt(within);
    }
    if (tellNext) {
      in.session().touch(mine, within).whenComplete(Place::logged);
    }
    return answer(new Granted(mine.number(), Duration.ofNanos(left), now.wanted()));
  }

  private static void logged(@Nullable Object done, @Nullable Throwable failed) {
    if (failed != null) {
      Log.debug("the next waiter was not woken; it asks by itself within a second", failed);
    }
  }

  private CompletionStage<Attempt> leaveBusy(Standing standing, Entry head, Duration within) {
    Session session = standing.in.session();
    CompletionStage<Optional<Details>> holder =
        head.details().holder().isEmpty()
            ? session.look(head, null, within).exceptionally(failed -> Optional.empty())
            : CompletableFuture.completedFuture(Optional.of(head.details()));
    return refuse(standing, BUSY, within)
        .thenCombine(
            holder,
            (answer, known) ->
                answer.equals(BUSY)
                    ? new Attempt.Busy(Duration.ZERO, known.map(Details::holder).orElse(""))
                    : answer);
  }

  private CompletionStage<Attempt> refuse(Standing standing, Attempt why, Duration within) {
    boolean isGranted;
    synchronized (this) {
      // By another attempt
      isGranted = granted;
      refusal = isGranted ? null : why;
    }
    return isGranted ? reread(standing, within) : refused(standing, why, within);
  }

  private CompletionStage<Attempt> refused(Standing standing, Attempt why, Duration within) {
    return remove(standing, within).thenApply(left -> why);
  }

  /** Removes the entry for good, unless another attempt has; whether it was there. */
  private synchronized CompletionStage<Boolean> remove(Standing standing, Duration within) {
    if (!isStill(standing)) {
      return CompletableFuture.completedFuture(false);
    }
    boolean isInDoubt = isInDoubt();
    Session in = standing.in.session();
    CompletionStage<Boolean> removed =
        isInDoubt ? in.takeBack(ticket, within) : in.leave(standing.entry, within);
    return removed.whenComplete(
        (wasThere, failed) -> {
          if (failed == null) {
            removed(standing, isInDoubt);
          }
        });
  }

  private synchronized void removed(Standing asked, boolean forGood) {
    if (session == asked.in) {
      own = isStill(asked) ? null : own;
      takenBack |= forGood;
    }
  }

  // ---- waiting

  private CompletionStage<Attempt> queue(
      Standing standing, Admission now, Entry head, Duration within) {
    String holder = head.details().holder();
    synchronized (this) {
      if (!watching) {
        return answer(new Attempt.Queued(now.place(), holder));
      }
    }
    return arm(standing, within)
        .thenCompose(
            armed ->
                armed.again()
                    ? reread(standing, within)
                    : answer(
                        new Attempt.Queued(
                            now.place(),
                            now.place() == 0 && holder.isEmpty() ? armed.holder() : holder)));
  }

  private CompletionStage<InTheWay.Armed> arm(Standing standing, Duration within) {
    return inTheWay.arm(standing.in.session(), this::changed, within);
  }

  private synchronized boolean waits() {
    return !over && !granted;
  }

  private void changed(Entry entry, boolean isGone) {
    inTheWay.changed(entry, isGone);
    if (!waits()) {
      return;
    }
    Standing standing = standing();
    Granted unread = standing == null ? null : grantUnread(standing);
    if (standing == null || unread == null) {
      listener.wake(ticket.id());
    } else {
      listener.granted(ticket.id(), unread, () -> standing.in.passed(unread.remaining().toNanos()));
      check(standing);
    }
  }

  CompletionStage<Watch> watch(Duration within) {
    Standing standing;
    synchronized (this) {
      standing = standing();
      watching = !granted;
      if (granted || standing == null) {
        return CompletableFuture.completedFuture(Watch.ATTEMPT_AGAIN);
      }
    }
    return arm(standing, within)
        .thenApply(armed -> armed.again() ? Watch.ATTEMPT_AGAIN : Watch.NOTHING_MISSED);
  }

  /** What a renewal has read since then, while this entry held the lock; null if nothing. */
  synchronized @Nullable Read readSince(Standing asked, long then) {
    Read last = lastRead;
    return granted && isStill(asked) && last != null && last.at - then > 0 ? last : null;
  }

  /** The answer to a renewal, by what stood under the name when this entry did. */
  synchronized Renewal renewed(Standing asked, Read read) {
    if (granted && !over && !isStill(asked)) {
      return new Renewal.Unknown(Failures.sessionInDoubt());
    }
    int index = isStill(asked) ? Admission.indexOf(read.all, asked.entry.key()) : -1;
    if (isStill(asked) && index < 0) {
      own = null;
    }
    if (index < 0 || over) {
      return gone();
    }
    lastRead = read;
    Admission now = Admission.of(read.all, index);
    if (!granted) {
      return now.holds() ? new Renewal.AttemptNow() : new Renewal.Waiting();
    }
    long left = asked.in.left();
    return left > 0
        ? new Renewal.Renewed(Duration.ofNanos(left), now.wanted())
        : new Renewal.Unknown(Failures.sessionInDoubt());
  }

  /** The answer to a renewal if its entry is not there: a waiting ticket enters again. */
  synchronized Renewal gone() {
    over |= granted;
    return over ? new Renewal.Gone() : new Renewal.AttemptNow();
  }

  // ---- the end

  /**
   * Gives it up if the engine has not asked for it during its ttl. Whether its entry is to be
   * removed now: again after another ttl if the store does not answer.
   */
  synchronized boolean lapses(long now) {
    boolean isUnheard = now - heard >= ticket.ttl().toNanos();
    if (isUnheard) {
      heard = now;
      over = true;
    }
    return isUnheard;
  }

  /** Removes its entry for good. */
  synchronized CompletionStage<Boolean> takeBack(Duration within) {
    over = true;
    OpenSession in = session;
    if (in == null || isGone()) {
      return CompletableFuture.completedFuture(false);
    }
    Entry mine = own;
    return mine == null
        ? in.session().takeBack(ticket, within)
        : remove(new Standing(in, mine), within);
  }

  /** Removes its entry for good if it holds the lock; says whether it did. */
  synchronized CompletionStage<Boolean> release(Duration within) {
    Standing standing = standing();
    return granted && standing != null
        ? remove(standing, within)
        : CompletableFuture.completedFuture(false);
  }

  synchronized void end() {
    over = true;
  }

  private static CompletionStage<Attempt> answer(Attempt answer) {
    return CompletableFuture.completedFuture(answer);
  }
}
