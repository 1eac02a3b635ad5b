package io.leasehold.cli;

import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The arguments, taken apart.
 *
 * @param command what to do; empty if none was named
 * @param values the options given, flags with an empty value; the last one counts
 * @param operands what is neither option nor value, up to the {@code --} before the command to run
 * @param childStart where the words of the command to run begin; the number of arguments if there
 *     is none
 */
record Arguments(
    Optional<Command> command, Map<Option, String> values, List<String> operands, int childStart) {

  /** Reads them; {@link UsageException} if they make no sense. */
  static Arguments parse(List<String> words) {
    List<String> plain = withoutHelpCommand(words);
    try {
      return of(Grammar.parse(plain), plain);
    } catch (ParameterException e) {
      Optional<Command> first = words.stream().flatMap(w -> Command.named(w).stream()).findFirst();
      throw new UsageException(
          e.getMessage()
              + first
                  .filter(command -> command.startsCommand() && !words.contains("--"))
                  .map(command -> "; " + dashes(command))
                  .orElse(""));
    }
  }

  /** What is most often forgotten. */
  private static String dashes(Command command) {
    return "write -- before the command: " + command.spelling() + " " + command.operands();
  }

  /** {@code help} and {@code help run} are {@code --help} and {@code run --help}. */
  private static List<String> withoutHelpCommand(List<String> words) {
    if (words.isEmpty() || !words.get(0).equals("help")) {
      return words;
    }
    List<String> plain = new ArrayList<>(words.subList(1, words.size()));
    plain.add(Option.HELP.spelling());
    return plain;
  }

  boolean has(Option option) {
    return values.containsKey(option);
  }

  Optional<String> value(Option option) {
    return Optional.ofNullable(values.get(option));
  }

  /** The one operand of a command that takes a lock name and nothing else. */
  String lockName() {
    if (operands.size() != 1) {
      Command named = command.orElseThrow();
      throw new UsageException(
          named.spelling() + " takes one lock name: " + named.spelling() + " " + named.operands());
    }
    return Words.requireText(operands.get(0), "the lock name");
  }

  /**
   * The one operand of a command that starts another, which must be there.
   *
   * @param words all arguments
   * @param what the operand is
   */
  String nameOfCommand(List<String> words, String what) {
    Command named = command.orElseThrow();
    String usage = ": " + named.spelling() + " " + named.operands();
    if (operands.size() != 1) {
      throw new UsageException(
          operands.isEmpty()
              ? named.spelling() + " needs a " + what + usage
              : words.contains("--")
                  ? named.spelling() + " takes one " + what + ", then -- and the command" + usage
                  : dashes(named));
    }
    if (childStart >= words.size()) {
      throw new UsageException(named.spelling() + " needs a command after --" + usage);
    }
    return Words.requireText(operands.get(0), "the " + what);
  }

  /** The exit code for a lock, or a key, that others kept busy. */
  int busyExit() {
    String text = value(Option.BUSY_EXIT).orElse(Integer.toString(ExitCode.TIMEOUT));
    if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) > 255) {
      throw new UsageException("--busy-exit takes an exit code, 0 to 255, not '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  /** How long to wait; empty if for ever. */
  Optional<Duration> maxWait() {
    if (has(Option.TRY) && has(Option.WAIT)) {
      throw new UsageException("-n is --wait 0: give one of the two");
    }
    return has(Option.TRY) ? Optional.of(Duration.ZERO) : duration(Option.WAIT);
  }

  /** The value of an option that is a duration, not negative. */
  Optional<Duration> duration(Option option) {
    return value(option).map(text -> duration(option, text));
  }

  private static Duration duration(Option option, String text) {
    Duration duration;
    try {
      duration = Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option.spelling() + ": " + e.getMessage());
    }
    if (duration.isNegative()) {
      throw new UsageException(option.spelling() + " must not be negative, but is " + text);
    }
    return duration;
  }

  /** What the words mean by the {@link Grammar}. */
  private static Arguments of(ParseResult top, List<String> words) {
    Map<Option, String> values = new EnumMap<>(Option.class);
    take(top, values);
    ParseResult last = top;
    while (last.hasSubcommand()) {
      last = last.subcommand();
      take(last, values);
    }
    List<String> operands = last.matchedPositionalValue(0, List.of());
    Optional<Command> command = Command.named(last.commandSpec().name());
    if (command.isEmpty()) {
      if (!operands.isEmpty()) {
        throw new UsageException(
            "there is no command '" + operands.get(0) + "'; there are " + Command.all("and"));
      }
      return new Arguments(command, values, operands, words.size());
    }
    int childLength =
        command.filter(Command::startsCommand).isPresent() ? childLength(operands, words) : -1;
    return childLength < 0
        ? new Arguments(command, values, operands, words.size())
        : new Arguments(command, values, operands.subList(0, 1), words.size() - childLength);
  }

  /**
   * How many words the command to run has; -1 if no {@code --} stands between it and the name.
   * picocli has swallowed the first {@code --}, which may also stand before a name that begins with
   * a dash.
   */
  private static int childLength(List<String> operands, List<String> words) {
    if (operands.isEmpty()) {
      return -1;
    }
    int rest = operands.size() - 1;
    if (rest > 0 && operands.get(1).equals("--")) {
      return rest - 1;
    }
    return words.get(words.size() - rest - 1).equals("--") ? rest : -1;
  }

  private static void take(ParseResult result, Map<Option, String> values) {
    for (Option option : Option.values()) {
      if (result.hasMatchedOption(option.spelling())) {
        values.put(
            option, String.valueOf(result.<Object>matchedOptionValue(option.spelling(), "")));
      }
    }
  }
}
