package io.leasehold.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** Every option of the command. */
enum Option {
  STORE(
      "--store",
      "URL",
      "where the locks are; else $LEASEHOLD_STORE, else a file of yours under"
          + " ${XDG_STATE_HOME:-~/.local/state}/leasehold/"),
  STORE_FILE(
      "--store-file",
      "F",
      "a file with that URL in its first line, so that ps shows no secret; else $LEASEHOLD_STORE_FILE"),
  ACCEPT("--accept", "unfenced", "take a store that gives no fencing tokens"),
  WAIT(
      "--wait",
      "D",
      "wait at most so long; 0 tries once; without it: for ever, but once does not wait"),
  TRY("-n", null, "the same as --wait 0"),
  BUSY_EXIT("--busy-exit", "N", "exit with N, not 75, if the lock or the key was busy to the end"),
  QUIET(
      "--quiet",
      null,
      "do not say that it waits, nor that the lock or the key was busy: the exit code does"),
  TTL("--ttl", "D", "how long the lock or the key stays taken if this process dies; default 30s"),
  MAX_HOLD("--max-hold", "D", "end the command when it has held the lock so long"),
  MIN_HOLD(
      "--min-hold",
      "D",
      "keep others out for so long from the grant, also if the command ends sooner"),
  SHARED(
      "--shared", null, "hold it together with others who share it, but with nobody who does not"),
  PERMITS(
      "--permits",
      "K/N",
      "hold K of the N permits of a semaphore; N is the same for all who use the name"),
  FAIR("--fair", null, "first come, first served across processes; not every store can"),
  WAIT_ALL("--wait-all", null, "wait until all that the command started has ended too"),
  NO_FORWARD(
      "--no-forward",
      null,
      "pass no signal on to the command: for senders that signal the command too"),
  KEEP("--keep", "D", "how long the outcome is kept; default 7d"),
  NO_OUTPUT("--no-output", null, "keep only the exit code; stdout and stderr are the caller's own"),
  RETRY_FAILED(
      "--retry-failed", null, "keep no outcome but exit code 0: the next call runs it again"),
  FORGET("--forget", null, "forget the key and its outcome: the next call runs its command"),
  TOKEN("--token", "N", "the token of the lease to remove, as who shows it"),
  DDL("--ddl", null, "print what creates the tables of the store, and ask it nothing"),
  JSON("--json", null, "for programs; tokens are strings"),
  HELP("--help", null, "print this"),
  VERSION("--version", null, "print the version");

  private final String spelling;
  private final @Nullable String value;
  private final String description;

  Option(String spelling, @Nullable String value, String description) {
    this.spelling = spelling;
    this.value = value;
    this.description = description;
  }

  String spelling() {
    return spelling;
  }

  OptionSpec spec() {
    OptionSpec.Builder spec =
        this == HELP
            ? OptionSpec.builder(spelling, "-h").usageHelp(true)
            : this == VERSION
                ? OptionSpec.builder(spelling, "-V").versionHelp(true)
                : OptionSpec.builder(spelling);
    return value == null
        ? spec.type(boolean.class).arity("0").description(description).build()
        : spec.type(String.class).arity("1").paramLabel(value).description(description).build();
  }
}
