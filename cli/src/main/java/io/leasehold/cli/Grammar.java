package io.leasehold.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command line as picocli knows it. Built by hand from {@link Command} and {@link Option}: to
 * read annotations costs each start about as much as an empty Java program.
 */
final class Grammar {
  private static final int WIDTH = 100;
  private static final String MORE =
      """

        leasehold run nightly -- ./report.sh
        leasehold run --permits 1/4 exports -- ./export.sh
        leasehold once release-42 -- ./deploy.sh
        leasehold lead scheduler -- ./scheduler
        leasehold who nightly
        leasehold list 'night*'

      leasehold COMMAND --help says more.
      """;

  private Grammar() {}

  /** All of it. */
  static CommandLine commandLine() {
    return commandLine(List.of(Command.values()));
  }

  /**
   * Takes words apart: without the commands whose names are not among them, and without what can
   * stand before a command if none does, since each of these costs a start a few milliseconds.
   */
  static ParseResult parse(List<String> words) {
    Optional<Command> first = words.isEmpty() ? Optional.empty() : Command.named(words.get(0));
    if (first.isPresent()) {
      return parse(configured(new CommandLine(spec(first.get()))), words.subList(1, words.size()));
    }
    List<Command> named =
        Arrays.stream(Command.values()).filter(c -> words.contains(c.spelling())).toList();
    return parse(commandLine(named), words);
  }

  private static ParseResult parse(CommandLine line, List<String> words) {
    return line.parseArgs(words.toArray(String[]::new));
  }

  private static CommandLine commandLine(List<Command> commands) {
    CommandSpec top = spec("leasehold", Command.common());
    top.usageMessage()
        .customSynopsis("leasehold [--store URL] COMMAND")
        .description(
            "Runs commands under a distributed lock, as the leader, or once per key, and shows the holders.",
            "")
        .footer(lines(MORE));
    top.addPositional(words("COMMAND"));
    CommandLine line = new CommandLine(top);
    for (Command command : commands) {
      line.addSubcommand(command.spelling(), spec(command));
    }
    return configured(line);
  }

  private static CommandLine configured(CommandLine line) {
    return line.setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true)
        .setPosixClusteredShortOptionsAllowed(false)
        .setInterpolateVariables(false)
        .setUsageHelpWidth(WIDTH);
  }

  private static CommandSpec spec(Command command) {
    CommandSpec spec = spec(command.spelling(), command.options());
    spec.addPositional(words(command.operands()));
    spec.usageMessage()
        .customSynopsis("leasehold " + command.spelling() + " [OPTION]... " + command.operands())
        .description(command.summary(), "")
        .footer(lines("\n" + command.more()));
    return spec;
  }

  private static CommandSpec spec(String name, List<Option> options) {
    CommandSpec spec = CommandSpec.create().name(name);
    options.forEach(option -> spec.addOption(option.spec()));
    spec.usageMessage(
        new UsageMessageSpec().sortOptions(false).synopsisHeading("Usage: ").optionListHeading(""));
    return spec;
  }

  private static PositionalParamSpec words(String label) {
    return PositionalParamSpec.builder()
        .index("0..*")
        .arity("0..*")
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel(label)
        .hidden(true)
        .build();
  }

  private static String[] lines(String text) {
    return text.split("\n", -1);
  }
}
