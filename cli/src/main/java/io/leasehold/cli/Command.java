package io.leasehold.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The commands, the options each takes beside those that all take, and what its help says. */
enum Command {
  RUN(
      "run",
      "NAME -- CMD ARG...",
      "Acquires the lock NAME, runs the command, releases the lock.",
      """
      A duration D is written 500ms, 10s, 1.5s, 1m30s, 2h, 7d or PT10S.

        leasehold run --wait 10s --max-hold 1h nightly -- ./report.sh --all
        leasehold run -n --busy-exit 0 --quiet nightly -- ./report.sh      (from cron: else do nothing)

      The command sees LEASEHOLD_NAME, LEASEHOLD_LEASE_ID and LEASEHOLD_TOKEN: a number that is higher
      for each later holder. Pass it on to where the data lives, and refuse a lower one there.
      If the lock is about to be lost the command gets TERM, and KILL before another can have the lock.

      A store that does not answer is asked again until --wait is over; without --wait, the first
      request must be answered, and then it waits for ever.

      Exit: the command's own code, 126 not executable, 127 not found, 128+n ended by signal n;
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
        leasehold once --keep 30d --wait 1h "report-$(date +%F)" -- ./report.sh
        leasehold once --forget release-42

      A duration D is written 500ms, 10s, 1m30s, 2h, 7d or PT10S.

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
  WAIT(
      "wait",
      "NAME",
      "Returns when nobody holds the lock NAME, without ever taking it.",
      """
        leasehold wait nightly --wait 10m && echo done

      It only looks, at once, then in growing intervals of a twentieth of the time it has waited, at
      most a second. A lock that goes from one holder to the next may never be seen free; that others
      wait for it does not matter. When it returns another may have it already: to do something while
      it is yours, use run.

      Exit: 0 nobody holds it, 75 somebody still did when --wait ended, 128+n ended by signal n;
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
      "Shows everything that is held or waited for.",
      """
      In PATTERN * is any text, and ? any one character; quote it, so that the shell leaves it alone.

        leasehold list 'invoice-*'

      Exit: 0; 64, 69, 77 and 78 as for run.
      """,
      List.of(Option.JSON)),
  BREAK(
      "break",
      "NAME --token N",
      "Removes the lease of NAME with this token, and only that, whoever holds it.",
      """
        leasehold who nightly
        leasehold break nightly --token 5120

      Its holder finds out at its next renewal: a third of its ttl at most. A run then kills its
      command. The next token is higher, so the data can refuse what the old holder still writes.

      Exit: 0 removed, 1 no such lease (any more); 64, 69, 77 and 78 as for run.
      """,
      List.of(Option.TOKEN)),
  DOCTOR(
      "doctor",
      "",
      "Looks for what could break the promises of the store.",
      """
        leasehold --store file:/var/lib/app/locks.db doctor

      Exit: 0 nothing worse than a warning, 1 an error; 64, 69 and 77 as for run.
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
    return this == RUN || this == ONCE;
  }

  /** What follows the options. */
  String operands() {
    return operands;
  }

  /** One sentence. */
  String summary() {
    return summary;
  }

  /** What the help says after the options: an example, and the exit codes. */
  String more() {
    return more;
  }

  /** The options that every command takes, and that may stand before it. */
  static List<Option> common() {
    return COMMON;
  }

  List<Option> options() {
    List<Option> options = new ArrayList<>(own);
    options.addAll(COMMON);
    return options;
  }

  /** All of them, as in "run, wait or who". */
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
