package io.leasehold.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The commands: the options of each, in addition to the common ones, and its help text. */
enum Command {
  RUN(
      "run",
      "NAME -- CMD ARG...",
      "Acquires the lock NAME, runs the command, releases the lock.",
      """
      Write a duration D as 500ms, 10s, 1.5s, 1m30s, 2h, 7d or PT10S.

        leasehold run --wait 10s --max-hold 1h nightly -- ./report.sh --all
        leasehold run -n --busy-exit 0 --quiet nightly -- ./report.sh            (from cron: skip it if busy)

      The command gets LEASEHOLD_NAME, LEASEHOLD_LEASE_ID and LEASEHOLD_TOKEN in its environment. The
      token is a number that is higher for each later holder: send it with each write, and let the
      data refuse a lower one. If the lock is about to be lost, the command gets TERM, and KILL before
      another process can hold the lock.

      If the store does not answer, run asks again until --wait ends. Without --wait the store must
      answer the first request; after that run waits without limit.

      Exit: the exit code of the command, 126 not executable, 127 not found, 128+n ended by signal n;
      64 usage, also a NAME in use as a lock of another kind, 69 store unavailable, 75 not acquired
      in time, 76 lock lost while the command ran, 77 refused by the store, 78 the store lacks a
      trait. The reason is on stderr.
      """,
      List.of(
          Option.WAIT,
          Option.TRY,
          Option.BUSY_EXIT,
          Option.QUIET,
          Option.TTL,
          Option.MAX_HOLD,
          Option.MIN_HOLD,
          Option.SHARED,
          Option.PERMITS,
          Option.FAIR,
          Option.WAIT_ALL,
          Option.NO_FORWARD)),
  ONCE(
      "once",
      "KEY -- CMD ARG...",
      "Runs the command at most once per KEY on all hosts; later calls replay its outcome.",
      """
        leasehold once release-42 -- ./deploy.sh
        leasehold once --keep 30d --wait 1h "report-$(date -I)" -- ./report.sh
        leasehold once --forget release-42

      Write a duration D as 500ms, 10s, 1m30s, 2h, 7d or PT10S.

      The outcome is the exit code, whatever it is, and what the command writes to stdout and stderr:
      the first 1 MiB of each, readable by every user of the store. What goes to a terminal is not
      kept. The same KEY with another command line is refused. The command sees LEASEHOLD_NAME, which
      is the KEY, LEASEHOLD_LEASE_ID and LEASEHOLD_TOKEN, as for run.

      If leasehold or its host dies while the command runs, the outcome is unknown, and no call runs
      the command again: find out what it has done, then --forget the key.

      Exit: the command's own code, now or then, 126 not executable, 127 not found, 128+n ended by
      signal n; 64 usage, also a KEY of another command line, 69 store unavailable, 75 another call
      runs it, 76 the command has run and its outcome could not be stored, 77 refused by the store,
      79 unknown outcome. --forget: 0 forgotten, 1 KEY is not known, 75 its command runs.
      """,
      List.of(
          Option.KEEP,
          Option.WAIT,
          Option.BUSY_EXIT,
          Option.QUIET,
          Option.TTL,
          Option.NO_OUTPUT,
          Option.RETRY_FAILED,
          Option.WAIT_ALL,
          Option.NO_FORWARD,
          Option.FORGET)),
  LEAD(
      "lead",
      "NAME -- CMD ARG...",
      "Runs the command on one of many hosts: on the one that holds the lock NAME.",
      """
        leasehold lead --ttl 10s scheduler -- ./scheduler

      Write a duration D as 500ms, 10s, 1m30s, 2h, 7d or PT10S.

      Start it on every host, as a service. One is elected and runs the command; if it dies, another
      is elected after one ttl. If the leader loses the lock, its command gets TERM, and KILL before
      another can be elected, as for run; then it takes part again. While the store does not answer,
      lead asks again. The command sees LEASEHOLD_NAME, LEASEHOLD_LEASE_ID and LEASEHOLD_TOKEN, as
      for run.

      If the command ends by itself, lead resigns and exits with its code; to run it again, let the
      service manager start lead again. A signal that lead gets goes to the command; after INT, TERM
      or HUP lead does not take part again. With --max-hold the leader changes after that time.

      Exit: the exit code of the command, 126 not executable, 127 not found, 128+n ended by signal n;
      64 usage, also a NAME in use as a lock of another kind, 76 lock lost when lead was told to end,
      77 refused by the store, 78 the store lacks a trait.
      """,
      List.of(
          Option.QUIET,
          Option.TTL,
          Option.MAX_HOLD,
          Option.FAIR,
          Option.WAIT_ALL,
          Option.NO_FORWARD)),
  WAIT(
      "wait",
      "NAME",
      "Waits until no process holds the lock NAME, and does not acquire it.",
      """
        leasehold wait nightly --wait 10m && echo done

            The command only looks: at once, then at growing intervals of a twentieth of the time that it
      has waited, at most one second. It may miss a lock that passes from one holder to the next.
      Waiters do not matter. When it returns, another process may hold the lock already: to do
      something under the lock, use run.

      Exit: 0 the lock is free, 75 it was still held when --wait ended, 128+n ended by signal n;
      64, 69, 77 and 78 as for run.
      """,
      List.of(Option.WAIT, Option.TRY, Option.QUIET)),
  WHO(
      "who",
      "NAME",
      "Shows who holds the lock NAME and who waits for it, since when, and with which token.",
      """
        leasehold who nightly

      Exit: 0 held or waited for, 1 free; 64, 69, 77 and 78 as for run.
      """,
      List.of(Option.JSON)),
  LIST(
      "list",
      "[PATTERN]",
      "Shows all locks that have a holder or a waiter.",
      """
            In PATTERN, * matches any text and ? any one character; quote it for the shell.

        leasehold list 'invoice-*'

      Exit: 0; 64, 69, 77 and 78 as for run.
      """,
      List.of(Option.JSON)),
  BREAK(
      "break",
      "NAME --token N",
      "Removes the lease of NAME with this token, and no other.",
      """
        leasehold who nightly
        leasehold break nightly --token 5120

            The holder notices at its next renewal, after a third of its ttl at most; run then kills its
      command. The next token is higher, so the data can refuse what the old holder still writes.

      Exit: 0 removed, 1 there is no such lease (any more); 64, 69, 77 and 78 as for run.
      """,
      List.of(Option.TOKEN)),
  DOCTOR(
      "doctor",
      "",
      "Checks the store for conditions that could break its promises.",
      """
        leasehold --store file:/var/lib/app/locks.db doctor

            Exit: 0 no finding worse than a warning, 1 an error; 64, 69 and 77 as for run.
      """,
      List.of(Option.JSON, Option.DDL));

  private static final List<Option> COMMON =
      List.of(Option.STORE, Option.STORE_FILE, Option.ACCEPT, Option.HELP, Option.VERSION);

  private final String spelling;
  private final String operands;
  private final String summary;
  private final String more;

  @SuppressWarnings("ImmutableEnumChecker") // from List.of
  private final List<Option> own;

  Command(String spelling, String operands, String summary, String more, List<Option> own) {
    this.spelling = spelling;
    this.operands = operands;
    this.summary = summary;
    this.more = more;
    this.own = own;
  }

  String spelling() {
    return spelling;
  }

  /** Whether it starts a command of the user's. */
  boolean startsCommand() {
    return this == RUN || this == ONCE || this == LEAD;
  }

  /** The operands, which follow the options. */
  String operands() {
    return operands;
  }

  /** What the command does, in one sentence. */
  String summary() {
    return summary;
  }

  /** The help text after the options: an example, and the exit codes. */
  String more() {
    return more;
  }

  /** The options of every command, which may also stand before the command. */
  static List<Option> common() {
    return COMMON;
  }

  List<Option> options() {
    List<Option> options = new ArrayList<>(own);
    options.addAll(COMMON);
    return options;
  }

  /** The names of all commands, as in "run, wait or who". */
  static String all(String conjunction) {
    List<String> words = Arrays.stream(values()).map(Command::spelling).toList();
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " " + conjunction + " " + words.get(last);
  }

  static Optional<Command> named(String word) {
    for (Command command : values()) {
      if (command.spelling.equals(word)) {
        return Optional.of(command);
      }
    }
    return Optional.empty();
  }
}
