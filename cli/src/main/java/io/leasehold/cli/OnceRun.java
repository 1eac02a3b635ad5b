package io.leasehold.cli;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.cli.once.Begin;
import io.leasehold.cli.once.Kept;
import io.leasehold.cli.once.OnceKey;
import io.leasehold.cli.once.Pipes;
import io.leasehold.cli.once.Recorded;
import io.leasehold.cli.once.Tee;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The one run of a command: on the main thread, while the key is claimed. It goes on to its end
 * whatever becomes of the claim: no other call takes that over, and half a deployment is worse than
 * one whose outcome is not recorded.
 */
final class OnceRun {
  private static final Duration LOOK = Duration.ofMillis(200);

  /** What writes on when the command has ended, as a tee behind it does, is heard so long. */
  private static final long LONGEST_SILENCE = Duration.ofSeconds(2).toNanos();

  private static final long LONGEST_REST = Duration.ofSeconds(10).toNanos();

  private final Arguments arguments;
  private final Words words;
  private final Console console;
  private final Signals signals;
  private final OnceKey key;
  private final Clock clock = new SystemClock();
  private OptionalInt exitCode = OptionalInt.empty();

  OnceRun(Arguments arguments, Words words, Console console, Signals signals, OnceKey key) {
    this.arguments = arguments;
    this.words = words;
    this.console = console;
    this.signals = signals;
    this.key = key;
  }

  /** The command failed, and its outcome is not to be kept. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FailedException(int exitCode) {
      super("the command ended with " + exitCode);
    }
  }

  /** What the command of this call returned; empty if it has not run. */
  OptionalInt exitCode() {
    return exitCode;
  }

  /** Whether the key is as it was before: nothing was begun, or it is to be done again. */
  static boolean leavesNothing(Throwable thrown) {
    return thrown instanceof InterruptedException
        || thrown instanceof NotStartedException
        || thrown instanceof StoreException
        || thrown instanceof FailedException;
  }

  /**
   * Runs it.
   *
   * @throws InterruptedException if a signal came before it began
   */
  Recorded run(Claim claim, Fingerprint print) throws InterruptedException {
    Begin begin = Begin.now(print.toString(), clock);
    key.note(begin);
    if (signals.endWait() != 0) {
      Thread.interrupted(); // the signal has done its work, and the release must not be disturbed
      key.tidy();
      throw new InterruptedException();
    }
    Started started;
    try {
      started = start(claim);
    } catch (NotStartedException e) {
      key.tidy();
      throw e;
    }
    try {
      signals.passTo(arguments.has(Option.NO_FORWARD) ? signal -> {} : started.child::pass);
      watch(started.child, claim);
      awaitRest(started);
      return recorded(started, begin);
    } catch (FailedException e) {
      throw e;
    } catch (RuntimeException e) {
      // No later call can tell what it goes on to do
      started.child.tree().kill();
      throw e;
    }
  }

  /** The command, and those of its streams that are kept. */
  private record Started(ChildProcess child, Optional<Tee> out, Optional<Tee> err) {
    boolean areStreamsOver() {
      return out.map(Tee::isEnded).orElse(true) && err.map(Tee::isEnded).orElse(true);
    }

    long passed() {
      return out.map(Tee::passed).orElse(0L) + err.map(Tee::passed).orElse(0L);
    }
  }

  private Started start(Claim claim) {
    boolean keepsOut = isKept(1);
    boolean keepsErr = isKept(2);
    if (!keepsOut && !keepsErr) {
      return new Started(
          start(claim, Redirect.INHERIT, Redirect.INHERIT), Optional.empty(), Optional.empty());
    }
    try (Pipes pipes = pipes()) {
      // Each end waits for the other to be opened
      Optional<Tee> out = tee(keepsOut, pipes.out(), FileDescriptor.out);
      Optional<Tee> err = tee(keepsErr, pipes.err(), FileDescriptor.err);
      ChildProcess child =
          start(claim, redirect(keepsOut, pipes.out()), redirect(keepsErr, pipes.err()));
      return new Started(child, out, err);
    }
  }

  private static Pipes pipes() {
    try {
      return Pipes.make();
    } catch (IOException e) {
      throw new NotStartedException(
          ExitCode.NOT_EXECUTABLE,
          "cannot make the pipes by which the output is kept: "
              + e.getMessage()
              + "; --no-output needs none");
    }
  }

  private ChildProcess start(Claim claim, Redirect out, Redirect err) {
    List<String> command = words.texts().subList(arguments.childStart(), words.texts().size());
    Holding holding =
        new Holding(
            arguments.operands().get(0),
            UUID.randomUUID().toString().replace("-", ""),
            OptionalLong.of(claim.token()));
    if (!claim.isHeld()) {
      // It may have been forgotten since, and another call may run the command
      throw new StoreException(
          Failure.UNAVAILABLE, "the claim of the key lapsed before the command began", null);
    }
    return ChildProcess.start(command, words.intact(), holding, out, err);
  }

  private boolean isKept(int descriptor) {
    return !arguments.has(Option.NO_OUTPUT) && !LinuxProcess.isTerminal(descriptor);
  }

  private static Redirect redirect(boolean isKept, Path pipe) {
    return isKept ? Redirect.to(pipe.toFile()) : Redirect.INHERIT;
  }

  private static Optional<Tee> tee(boolean isKept, Path pipe, FileDescriptor to) {
    return isKept ? Optional.of(Tee.start(pipe, new FileOutputStream(to))) : Optional.empty();
  }

  private void watch(ChildProcess child, Claim claim) {
    boolean said = false;
    boolean running = true;
    while (running) {
      try {
        running = !child.waitFor(LOOK);
      } catch (InterruptedException e) {
        // There is no other interrupt: a signal interrupts only before the command has begun
      }
      if (running && !said && !claim.isHeld()) {
        said = true;
        console.say(
            "the claim of the key has lapsed while the command runs: the store does not answer, this"
                + " process was paused, or the key was forgotten. The command goes on, and its"
                + " outcome is recorded at its end if the store takes it");
      }
    }
  }

  /** What the command started may still write, and with {@code --wait-all} do anything. */
  private void awaitRest(Started started) {
    ProcessTree tree = started.child.tree();
    boolean waits = arguments.has(Option.WAIT_ALL);
    long ended = clock.nanos();
    long heard = ended;
    long before = started.passed();
    while (!started.areStreamsOver() || (waits && tree.isAlive())) {
      Pause.of(Duration.ofMillis(5));
      long now = clock.nanos();
      long passed = started.passed();
      heard = passed > before ? now : heard;
      before = passed;
      if (!waits && (now - heard > LONGEST_SILENCE || now - ended > LONGEST_REST)) {
        console.say(
            "the command has ended, and what it started still runs ("
                + tree.pids()
                + "): what that writes from now on is lost; --wait-all would wait for its end");
        return;
      }
    }
  }

  private Recorded recorded(Started started, Begin begin) {
    int code = started.child.exitCode();
    exitCode = OptionalInt.of(code);
    Kept out = kept(started.out, "stdout");
    Kept err = kept(started.err, "stderr");
    if (code != 0 && arguments.has(Option.RETRY_FAILED)) {
      throw new FailedException(code);
    }
    sayIfCut(out, "stdout");
    sayIfCut(err, "stderr");
    return new Recorded(code, begin, out, err);
  }

  private Kept kept(Optional<Tee> tee, String name) {
    Optional<IOException> failure = tee.flatMap(Tee::failure);
    failure.ifPresent(e -> console.say("cannot write to " + name + ": " + e.getMessage()));
    return tee.map(Tee::kept).orElse(Kept.nothing());
  }

  private void sayIfCut(Kept kept, String name) {
    if (kept.extent() == Kept.Extent.BEGINNING) {
      console.say("of " + name + " only the first 1 MiB is kept for later calls");
    }
  }
}
