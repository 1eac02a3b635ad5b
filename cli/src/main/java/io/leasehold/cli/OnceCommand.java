package io.leasehold.cli;

import io.leasehold.StoreException;
import io.leasehold.cli.once.Begin;
import io.leasehold.cli.once.Kept;
import io.leasehold.cli.once.OnceKey;
import io.leasehold.cli.once.Recorded;
import io.leasehold.cli.once.Tee;
import io.leasehold.idempotency.AlreadyRunningException;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.FingerprintMismatchException;
import io.leasehold.idempotency.ResultUnavailableException;
import io.leasehold.idempotency.StaleClaimException;
import io.leasehold.idempotency.UnknownOutcomeException;
import io.leasehold.idempotency.WhileRunning;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spi.support.Durations;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** {@code once}: runs the command if its key has no outcome, else replays that. */
final class OnceCommand {
  private static final Duration KEEP = Duration.ofDays(7);
  private static final Duration CLAIM_LIFE = Duration.ofSeconds(30);

  private final Arguments arguments;
  private final Words words;
  private final StoreChoice store;
  private final Console console;
  private boolean answered;

  OnceCommand(Arguments arguments, Words words, StoreChoice store, Console console) {
    this.arguments = arguments;
    this.words = words;
    this.store = store;
    this.console = console;
  }

  /** Does it on the calling thread, and returns the exit code. */
  int run() {
    boolean forgets = arguments.has(Option.FORGET);
    String key = forgets ? keyToForget() : arguments.nameOfCommand(words.texts(), "key");
    if (key.isEmpty()) {
      throw new UsageException("the key must not be empty");
    }
    OnceKey.Settings settings = settings();
    int busyExit = arguments.busyExit();
    Optional<Duration> wait = Optional.of(arguments.maxWait().orElse(Duration.ZERO));
    Signals signals = Signals.take();
    Patience patience = new Patience(wait, signals, console);
    try (OnceKey once = patience.ask(() -> open(key, settings))) {
      patience.opened();
      return forgets
          ? patience.ask(() -> forget(once, busyExit))
          : runOrReplay(once, patience, signals, busyExit);
    } catch (InterruptedException e) {
      return signals.endedBy();
    } catch (StoreException e) {
      if (signals.endedBy() != 0) {
        return signals.endedBy();
      }
      console.say(e);
      return ExitCode.ofWait(e, answered);
    }
  }

  private String keyToForget() {
    if (arguments.operands().size() != 1 || arguments.childStart() < words.texts().size()) {
      throw new UsageException("--forget takes one key, and no command: once --forget KEY");
    }
    return Words.requireText(arguments.operands().get(0), "the key");
  }

  private OnceKey.Settings settings() {
    Duration keep = arguments.duration(Option.KEEP).orElse(KEEP);
    if (keep.compareTo(Duration.ofSeconds(1)) < 0 || keep.compareTo(IdempotencyStore.FOREVER) > 0) {
      throw new UsageException(
          "--keep takes 1s to "
              + Durations.show(IdempotencyStore.FOREVER)
              + ", not "
              + arguments.value(Option.KEEP).orElse(""));
    }
    Duration claimLife = arguments.duration(Option.TTL).orElse(CLAIM_LIFE);
    return new OnceKey.Settings(keep, claimLife, StoreChoice.LONGEST_REQUEST);
  }

  private OnceKey open(String key, OnceKey.Settings settings) {
    return new OnceKey(store.openIdempotency(), key, settings);
  }

  private Fingerprint fingerprint() {
    List<String> command = words.texts().subList(arguments.childStart(), words.texts().size());
    command.forEach(
        word -> Words.requireText(word, "every word of the command, for it is compared,"));
    return Fingerprint.of(command.toArray(String[]::new));
  }

  private int runOrReplay(OnceKey key, Patience patience, Signals signals, int busyExit)
      throws InterruptedException {
    Fingerprint print = fingerprint();
    OnceRun run = new OnceRun(arguments, words, console, signals, key);
    try {
      Recorded recorded = patience.ask(() -> recorded(key, patience, print, run));
      if (run.exitCode().isEmpty()) {
        replay(recorded);
      } else {
        key.tidy();
      }
      return recorded.exitCode();
    } catch (NotStartedException e) {
      console.say(e);
      return e.exitCode();
    } catch (OnceRun.FailedException e) {
      return failed(key, run, e);
    } catch (AlreadyRunningException e) {
      if (signals.endedBy() != 0) {
        return signals.endedBy();
      }
      console.remark(quoted() + " is run by another call" + since(begin(key)));
      return busyExit;
    } catch (FingerprintMismatchException e) {
      console.say(
          quoted()
              + " stands for another command line: take another key, or forget it first: "
              + forgetLine());
      return ExitCode.USAGE;
    } catch (UnknownOutcomeException e) {
      return unknown(
          begin(key)
                  .map(b -> "its command began " + b.place() + " at " + b.time())
                  .orElse("its command may have begun")
              + ", and that call ended before it recorded the outcome");
    } catch (ResultUnavailableException | StaleClaimException e) {
      return run.exitCode().isPresent()
          ? unrecorded(run, e)
          : unknown(String.valueOf(e.getMessage()));
    }
  }

  /** The claim was given back; if not, the exception says why. */
  private int failed(OnceKey key, OnceRun run, OnceRun.FailedException e) {
    if (e.getSuppressed().length == 0) {
      key.tidy();
    }
    for (Throwable suppressed : e.getSuppressed()) {
      console.say(
          quoted()
              + " could not be given back ("
              + suppressed.getMessage()
              + "): later calls find its outcome unknown");
    }
    return run.exitCode().orElse(ExitCode.INTERNAL);
  }

  private Recorded recorded(OnceKey key, Patience patience, Fingerprint print, OnceRun run)
      throws InterruptedException {
    try {
      return execute(key, print, WhileRunning.fail(), run);
    } catch (AlreadyRunningException e) {
      Duration left = patience.left().orElse(Duration.ZERO);
      if (left.isZero()) {
        throw e;
      }
      if (!answered) {
        console.remark("waiting for " + quoted() + ", which another call runs" + since(begin(key)));
      }
      answered = true;
      return execute(key, print, WhileRunning.await(left), run);
    }
  }

  private static Recorded execute(
      OnceKey key, Fingerprint print, WhileRunning whileRunning, OnceRun run)
      throws InterruptedException {
    return key.execute(print, whileRunning, OnceRun::leavesNothing, claim -> run.run(claim, print));
  }

  private void replay(Recorded recorded) {
    write(recorded.out(), FileDescriptor.out, "stdout");
    write(recorded.err(), FileDescriptor.err, "stderr");
    sayIfCut(recorded.out(), "stdout");
    sayIfCut(recorded.err(), "stderr");
    if (LinuxProcess.isTerminal(2)) {
      console.remark(
          quoted()
              + " ran "
              + recorded.begin().place()
              + " at "
              + recorded.begin().time()
              + " and ended with "
              + recorded.exitCode()
              + "; to run it again: "
              + forgetLine());
    }
  }

  private void write(Kept kept, FileDescriptor to, String name) {
    try {
      // Not closed: it is this process's own
      new FileOutputStream(to).write(kept.bytes());
    } catch (IOException e) {
      if (!Tee.isUnread(e)) {
        console.say("cannot write to " + name + ": " + e.getMessage());
      }
    }
  }

  private void sayIfCut(Kept kept, String name) {
    if (kept.extent() == Kept.Extent.BEGINNING) {
      console.say("of " + name + " only the first 1 MiB was kept");
    }
  }

  private int unknown(String what) {
    console.say(
        "the outcome of "
            + quoted()
            + " is unknown: "
            + what
            + ". Find out what the command has done, and that it does not run any more; then let it"
            + " run again: "
            + forgetLine());
    return ExitCode.UNKNOWN;
  }

  private int unrecorded(OnceRun run, Exception e) {
    boolean wasForgotten = e instanceof StaleClaimException;
    String reason =
        wasForgotten
            ? "the key was forgotten meanwhile, and another call may run it"
            : Optional.ofNullable(e.getCause()).orElse(e).getMessage()
                + "; later calls find the outcome unknown (exit "
                + ExitCode.UNKNOWN
                + ")";
    console.say(
        "the command ended with "
            + run.exitCode().orElse(ExitCode.INTERNAL)
            + ", and that could not be recorded for "
            + quoted()
            + ": "
            + reason,
        e);
    return ExitCode.LOST;
  }

  private int forget(OnceKey key, int busyExit) {
    Optional<Begin> begin = key.begin();
    Optional<Duration> claimed = begin.flatMap(key::running);
    if (claimed.isPresent()) {
      console.say(
          quoted()
              + " is not forgotten: another call runs its command"
              + since(begin)
              + ". If that process has died, its claim lapses in "
              + Durations.show(claimed.get().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1)));
      return busyExit;
    }
    if (!key.forget()) {
      console.say(quoted() + " is not known: there is nothing to forget");
      return ExitCode.NOT_KNOWN;
    }
    console.say("forgot " + quoted() + ": the next call runs its command");
    return ExitCode.OK;
  }

  /** What is noted of the beginning; empty also if the store does not say. */
  private static Optional<Begin> begin(OnceKey key) {
    try {
      return key.begin();
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  private static String since(Optional<Begin> begin) {
    return begin.map(b -> " " + b.place() + " since " + b.time()).orElse("");
  }

  private String quoted() {
    return "'" + arguments.operands().get(0) + "'";
  }

  /** For a shell. */
  private String forgetLine() {
    String key = arguments.operands().get(0);
    return "leasehold once --forget "
        + (key.startsWith("-") ? "-- '" : "'")
        + key.replace("'", "'\\''")
        + "'";
  }
}
