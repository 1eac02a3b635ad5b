package io.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the manual page and the completions of the command. In the package of the command, for
 * what they are made of is not public.
 */
public final class Manual {
  private Manual() {}

  /** Writes them into the folder {@code args[0]}, with the date {@code args[1]}. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    String version = Help.version().strip().replace("leasehold ", "");
    Files.writeString(
        folder.resolve("leasehold.1"), ManPage.of(Grammar.commandLine(), version, args[1]));
    Files.writeString(folder.resolve("leasehold.bash"), Completion.bash(Grammar.commandLine()));
    Files.writeString(folder.resolve("_leasehold"), Completion.zsh(Grammar.commandLine()));
  }
}
