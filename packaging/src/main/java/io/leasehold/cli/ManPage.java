package io.leasehold.cli;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The manual page, from the same model as the help texts. Written as roff: picocli writes AsciiDoc,
 * and what makes roff of that is 60 MB of Ruby.
 */
final class ManPage {
  private final StringBuilder page = new StringBuilder();

  private ManPage() {}

  /** The page for this version, dated as {@code date}. */
  static String of(CommandLine leasehold, String version, String date) {
    ManPage man = new ManPage();
    CommandSpec top = leasehold.getCommandSpec();
    String summary = String.join(" ", top.usageMessage().description()).strip();
    man.line(".TH LEASEHOLD 1 \"" + date + "\" \"leasehold " + version + "\" \"User Commands\"");
    // No hyphens in what can be typed
    man.line(".nh");
    man.line(".ad l");
    man.line(".SH NAME");
    man.line("leasehold \\- " + escape(summary.replaceAll("\\.$", "").toLowerCase(Locale.ROOT)));
    man.line(".SH SYNOPSIS");
    man.line(".nf");
    for (CommandSpec command : commands(leasehold)) {
      man.line(".B " + escape(synopsis(command)));
    }
    man.line(".fi");
    man.line(".SH DESCRIPTION");
    man.text(List.of(summary));
    man.line(".SH \"COMMON OPTIONS\"");
    man.text(List.of("Every command takes these."));
    top.options().forEach(man::option);
    man.line(".SH COMMANDS");
    for (CommandSpec command : commands(leasehold)) {
      man.command(command, top);
    }
    man.line(".SH \"SEE ALSO\"");
    man.line(".BR flock (1),");
    man.line(".BR setpriv (1)");
    return man.page.toString();
  }

  private static List<CommandSpec> commands(CommandLine leasehold) {
    return leasehold.getSubcommands().values().stream().map(CommandLine::getCommandSpec).toList();
  }

  private static String synopsis(CommandSpec command) {
    return command.usageMessage().customSynopsis()[0].strip();
  }

  private void command(CommandSpec command, CommandSpec top) {
    line(".SS \"" + escape(synopsis(command)) + "\"");
    text(List.of(command.usageMessage().description()));
    command.options().stream()
        .filter(option -> top.findOption(option.longestName()) == null)
        .forEach(this::option);
    text(List.of(command.usageMessage().footer()));
  }

  private void option(OptionSpec option) {
    line(".TP");
    line(".B " + escape(String.join(", ", option.names()) + value(option)));
    text(List.of(option.description()));
  }

  private static String value(OptionSpec option) {
    return option.arity().max() == 0 ? "" : " " + option.paramLabel();
  }

  /** Paragraphs, with an empty line between them; what is indented is an example. */
  private void text(List<String> lines) {
    boolean example = false;
    boolean paragraph = false;
    for (String line : lines) {
      boolean indented = line.startsWith("  ");
      if (example && !indented) {
        line(".EE");
        line(".RE");
      }
      if (indented && !example) {
        line(".PP");
        line(".RS 4");
        line(".EX");
      }
      if (!indented && line.isBlank()) {
        paragraph = true;
      } else {
        if (paragraph && !indented) {
          line(".PP");
        }
        paragraph = false;
        line(escape(line.strip()));
      }
      example = indented;
    }
    if (example) {
      line(".EE");
      line(".RE");
    }
  }

  private static String escape(String text) {
    String escaped =
        text.replace("\\", "\\e")
            .replace("-", "\\-")
            .replace("\"", "\\(dq")
            .replace("^", "\\(ha")
            .replace("~", "\\(ti");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }

  private void line(String line) {
    page.append(line).append('\n');
  }
}
