package io.leasehold.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** All options of the command line. */
enum Option {
  STORE(
      "--store",
      "URL",
      "the store of the locks; default $LEASEHOLD_STORE, else a file of the user under"
          + " ${XDG_STATE_HOME:-~/.local/state}/leasehold/"),
  STORE_FILE(
      "--store-file",
      "F",
      "a file with that URL in its first line, so that ps shows no secret; default $LEASEHOLD_STORE_FILE"),
  ACCEPT("--accept", "unfenced", "accept a store without fencing tokens"),
  WAIT(
      "--wait",
      "D",
      "wait at most this long; 0 tries once; default: without limit, but once does not wait"),
  TRY("-n", null, "the same as --wait 0"),
  BUSY_EXIT("--busy-exit", "N", "exit with N, not 75, if the lock or the key was busy to the end"),
  QUIET(
      "--quiet",
      null,
      "print no message while waiting, nor if the lock or the key was busy: see the exit code"),
  TTL("--ttl", "D", "how long the lock or the key stays taken if this process dies; default 30s"),
  MAX_HOLD("--max-hold", "D", "end the command when it has held the lock this long"),
  MIN_HOLD(
      "--min-hold",
      "D",
      "keep the lock for at least this long from the grant, even if the command ends sooner"),
  SHARED(
      "--shared",
      null,
      "share the lock with other --shared holders; an exclusive holder excludes them"),
  PERMITS(
      "--permits",
      "K/N",
      "hold K of the N permits of a semaphore; all users of the name must give the same N"),
  FAIR("--fair", null, "first come, first served across processes; not supported by every store"),
  WAIT_ALL("--wait-all", null, "wait until all processes that the command started have ended too"),
  NO_FORWARD(
      "--no-forward",
      null,
      "pass no signal on to the command; use it if the sender signals the command too"),
  KEEP("--keep", "D", "how long the outcome is kept; default 7d"),
  NO_OUTPUT(
      "--no-output",
      null,
      "keep only the exit code; the command writes to the caller's stdout and stderr"),
  RETRY_FAILED(
      "--retry-failed",
      null,
      "keep the outcome only of exit code 0; else the next call runs the command again"),
  FORGET("--forget", null, "forget the key and its outcome: the next call runs its command"),
  TOKEN("--token", "N", "the token of the lease to remove, as who shows it"),
  DDL("--ddl", null, "print the SQL that creates the tables of the store; send it no request"),
  JSON("--json", null, "print JSON for programs; tokens are strings"),
  HELP("--help", null, "print this help"),
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
