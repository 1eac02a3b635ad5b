package io.leasehold.cli;

import java.io.File;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command and everything that it started: its descendants by the kernel, and on Linux every
 * process that has this lease's id in its environment, so also one that forked twice or left the
 * session.
 */
final class ProcessTree {
  /**
   * How often a kill looks for processes that were born while it worked; each look is a millisecond
   * or so.
   */
  private static final int MOST_LOOKS = 2_000;

  private final Process command;
  private final String mark;

  ProcessTree(Process command, String leaseId) {
    this.command = command;
    this.mark = "\0" + ChildEnvironment.LEASE_ID + "=" + leaseId + "\0";
  }

  /** Asks all of it to end; what is stopped is continued, or it could not. */
  void terminate() {
    Set<ProcessHandle> processes = living();
    processes.forEach(ProcessHandle::destroy);
    Kill.send("CONT", processes.stream());
  }

  /** Ends the command; what it started may go on. */
  void killCommand() {
    command.destroyForcibly();
  }

  /** Ends all of it. Returns when nothing is left; false if something withstands. */
  boolean kill() {
    for (int i = 0; i < MOST_LOOKS; i++) {
      Set<ProcessHandle> left = living();
      if (left.isEmpty()) {
        return true;
      }
      left.forEach(ProcessHandle::destroyForcibly);
      Pause.of(Duration.ofMillis(1));
    }
    return false;
  }

  /** Whether anything of it still runs. */
  boolean isAlive() {
    return !living().isEmpty();
  }

  /**
   * Whether anything of it still runs, now and after this time.
   *
   * @param isYoung whether the command began so short ago that its processes have higher ids than
   *     it; to look at all that there are takes a tenth of a second
   */
  boolean isAliveFor(Duration time, boolean isYoung) {
    long least = isYoung ? command.pid() : 0;
    int looks = 10;
    for (int i = 0; i < looks && !living(least).isEmpty(); i++) {
      Pause.of(time.dividedBy(looks));
    }
    return !living(least).isEmpty();
  }

  /** Its process ids, for a person: the first few. */
  String pids() {
    List<ProcessHandle> all = List.copyOf(living());
    String first =
        all.stream().limit(5).map(p -> Long.toString(p.pid())).collect(Collectors.joining(", "));
    return (all.size() == 1 ? "process " : "processes ") + first + (all.size() > 5 ? ", ..." : "");
  }

  /** Sends a signal to all of it. */
  void signal(String signal) {
    Kill.send(signal, living().stream());
  }

  private Set<ProcessHandle> living() {
    return living(0);
  }

  private Set<ProcessHandle> living(long leastPid) {
    Set<ProcessHandle> found = new LinkedHashSet<>();
    Stream.concat(Stream.of(command.toHandle()), command.descendants())
        .filter(process -> process.isAlive() && !LinuxProcess.isZombie(process.pid()))
        .forEach(found::add);
    String[] pids = new File("/proc").list((directory, name) -> isPid(name));
    for (String pid : pids == null ? new String[0] : pids) {
      // The handle, which knows when its process began and never signals a later one with the same
      // id, is made between two looks; most processes need but one
      if (Long.parseLong(pid) >= leastPid && isMarked(pid)) {
        ProcessHandle.of(Long.parseLong(pid)).filter(p -> isMarked(pid)).ifPresent(found::add);
      }
    }
    return found;
  }

  private boolean isMarked(String pid) {
    return LinuxProcess.environment(pid).contains(mark);
  }

  /** No other file there begins with a digit. */
  private static boolean isPid(String name) {
    return name.charAt(0) >= '0' && name.charAt(0) <= '9';
  }
}
