package io.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What {@code --help} and {@code --version} print. */
final class Help {
  private Help() {}

  static String of(Optional<Command> command) {
    CommandLine line = Grammar.commandLine();
    return command
        .map(c -> line.getSubcommands().get(c.spelling()))
        .orElse(line)
        .getUsageMessage(Ansi.OFF);
  }

  static String version() {
    Properties jar = new Properties();
    try (InputStream in =
        Help.class.getResourceAsStream(
            "/META-INF/maven/io.leasehold/leasehold-cli/pom.properties")) {
      if (in != null) {
        jar.load(in);
      }
    } catch (IOException e) {
      // Then it is not known
    }
    return "leasehold " + jar.getProperty("version", "(unknown version)") + "\n";
  }
}
