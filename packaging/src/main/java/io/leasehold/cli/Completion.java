package io.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completions for bash and zsh, from the same model as the help texts. That of picocli
 * completes no files, no command after {@code --}, and takes a lock with the name of a command for
 * that command.
 */
final class Completion {
  private Completion() {}

  static String bash(CommandLine leasehold) throws IOException {
    String options =
        commands(leasehold)
            .map(
                c ->
                    "    "
                        + c.name()
                        + ") options=\""
                        + names(c.options().stream(), " ")
                        + "\""
                        + (takesName(c) ? " names=true" : "")
                        + " ;;")
            .collect(Collectors.joining("\n"));
    Stream<OptionSpec> valued =
        commands(leasehold).flatMap(c -> c.options().stream()).filter(Completion::hasValue);
    String running =
        commands(leasehold)
            .filter(Completion::takesCommand)
            .map(CommandSpec::name)
            .collect(Collectors.joining(" | "));
    return template("completion.bash")
        .replace("@VALUED@", names(valued, " | "))
        .replace("@COMMON@", names(leasehold.getCommandSpec().options().stream(), " "))
        .replace("@COMMANDS@", String.join(" ", leasehold.getSubcommands().keySet()))
        .replace("@RUNNING@", running)
        .replace("@OPTIONS@", options);
  }

  static String zsh(CommandLine leasehold) throws IOException {
    CommandSpec top = leasehold.getCommandSpec();
    String commands =
        commands(leasehold)
            .map(c -> "    " + quote(c.name() + ":" + c.usageMessage().description()[0]))
            .collect(Collectors.joining("\n"));
    String own = commands(leasehold).map(c -> zshCommand(c, top)).collect(Collectors.joining("\n"));
    return template("completion.zsh")
        .replace("@COMMANDS@", commands)
        .replace("@COMMON@", zshOptions(top.options().stream(), "    "))
        .replace("@OPTIONS@", own);
  }

  private static String zshCommand(CommandSpec command, CommandSpec top) {
    Stream<OptionSpec> own =
        command.options().stream().filter(o -> top.findOption(o.longestName()) == null);
    String indent = "            ";
    String text = "        " + command.name() + ")\n          own=(\n" + zshOptions(own, indent);
    if (takesName(command)) {
      text += "\n" + indent + "'1:lock name:_leasehold_names'";
    }
    if (takesCommand(command)) {
      text += takesName(command) ? "" : "\n" + indent + "'1:key: '";
      text += "\n" + indent + "'2:dashes:(--)'\n" + indent + "'*:::command:_normal'";
    }
    return text + "\n          )\n          ;;";
  }

  private static String zshOptions(Stream<OptionSpec> options, String indent) {
    return options
        .flatMap(o -> Stream.of(o.names()).map(name -> indent + quote(zshOption(o, name))))
        .collect(Collectors.joining("\n"));
  }

  private static String zshOption(OptionSpec option, String name) {
    String says = String.join(" ", option.description()).replaceAll("([\\[\\]\\\\])", "\\\\$1");
    String value =
        !hasValue(option)
            ? ""
            : ":"
                + option.paramLabel()
                + switch (name) {
                  case "--store-file" -> ":_files";
                  case "--accept" -> ":(unfenced)";
                  default -> ": ";
                };
    return name + "[" + says + "]" + value;
  }

  private static Stream<CommandSpec> commands(CommandLine leasehold) {
    return leasehold.getSubcommands().values().stream().map(CommandLine::getCommandSpec);
  }

  /** Whether its first operand is the name of a lock. */
  private static boolean takesName(CommandSpec command) {
    return operands(command).startsWith("NAME");
  }

  /** Whether a command follows behind {@code --}. */
  private static boolean takesCommand(CommandSpec command) {
    return operands(command).contains("CMD");
  }

  private static String operands(CommandSpec command) {
    return Command.named(command.name()).orElseThrow().operands();
  }

  private static boolean hasValue(OptionSpec option) {
    return option.arity().max() > 0;
  }

  private static String names(Stream<OptionSpec> options, String between) {
    return options
        .flatMap(o -> List.of(o.names()).stream())
        .distinct()
        .collect(Collectors.joining(between));
  }

  private static String quote(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private static String template(String name) throws IOException {
    try (InputStream in = Objects.requireNonNull(Completion.class.getResourceAsStream(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
