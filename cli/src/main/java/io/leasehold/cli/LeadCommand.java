package io.leasehold.cli;

import static java.util.Objects.requireNonNull;

import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** {@code lead}: takes part in an election, and runs the command while it leads. */
final class LeadCommand {
  /** As good as for ever: no store is given up. */
  private static final Duration EVER = Duration.ofDays(36_500);

  private final Arguments arguments;
  private final Words words;
  private final StoreChoice store;
  private final Console console;
  private final RunEvents events;
  private final Clock clock = new SystemClock();

  LeadCommand(
      Arguments arguments,
      Words words,
      StoreChoice store,
      Console console,
      Map<String, String> environment) {
    this.arguments = arguments;
    this.words = words;
    this.store = store;
    this.console = console;
    this.events = new RunEvents(console, environment);
  }

  /** Does it on the calling thread, and returns the exit code. */
  int run() {
    String name = arguments.nameOfCommand(words.texts(), "lock name");
    LockOptions options = LeaseRun.options(arguments);
    Signals signals = Signals.take();
    LeaseRun run = new LeaseRun(arguments, words, console, events, signals, clock);
    Election election = new Election();
    try (LockClient locks =
            new Patience(Optional.of(EVER), signals, console).ask(() -> store.open(events));
        Leadership leadership = locks.leadership(name, options, election)) {
      return lead(leadership.name(), election, run, options, signals);
    } catch (InterruptedException e) {
      return signals.endedBy();
    } catch (RuntimeException e) {
      int ended = signals.endedBy();
      if (ended == 0) {
        console.say(ExitCode.reason(e), e);
      }
      return ended != 0 ? ended : ExitCode.of(e);
    }
  }

  private int lead(
      String name, Election election, LeaseRun run, LockOptions options, Signals signals)
      throws InterruptedException {
    while (true) {
      Term term = election.next();
      long granted = clock.nanos();
      try {
        int ended = signals.endWait();
        if (ended != 0) {
          Thread.interrupted(); // the signal has done its work, and the end must not be disturbed
          return ended;
        }
        LeaseRun.Ended end = run.run(term.lease, options, granted);
        if (end.byItself() || !signals.waitAgain()) {
          return end.code();
        }
        console.remark("takes part again in the election of '" + name + "'");
      } finally {
        term.over.countDown();
      }
    }
  }

  /** The lease, and when its command is over. */
  private record Term(Lease lease, CountDownLatch over) {}

  /**
   * Hands each term to the main thread, which alone may start the command. No other term begins
   * before that command is over.
   */
  private final class Election implements LeadershipListener {
    /** What happened: a term, or a failure that another try does not mend. */
    private final LinkedBlockingQueue<Object> happened = new LinkedBlockingQueue<>();

    private volatile @Nullable Term last;
    private boolean said;

    Term next() throws InterruptedException {
      Object next = happened.take();
      if (next instanceof RuntimeException failure) {
        throw failure;
      }
      return (Term) next;
    }

    @Override
    public void elected(Lease lease) {
      Term term = new Term(lease, new CountDownLatch(1));
      last = term;
      happened.add(term);
    }

    @Override
    public void lost(LockEvent.Lost.Reason reason) {
      awaitCommand();
    }

    @Override
    public void resigned() {
      awaitCommand();
    }

    private void awaitCommand() {
      try {
        requireNonNull(last).over.await();
      } catch (InterruptedException e) {
        // This process ends
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void failed(RuntimeException why) {
      if (ExitCode.of(why) != ExitCode.UNAVAILABLE) {
        happened.add(why);
      } else if (!said) {
        said = true;
        console.remark("no answer yet, asking again: " + why.getMessage());
      }
    }
  }
}
