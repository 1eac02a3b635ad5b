package io.leasehold.cli;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where commands are looked for, as a shell does. */
record SearchPath(List<String> directories) {
  static SearchPath of(@Nullable String variable) {
    return new SearchPath(
        Arrays.asList(
            (variable == null ? "/usr/local/bin:/bin:/usr/bin" : variable).split(":", -1)));
  }

  /** The first file of this name that can be executed. */
  Optional<File> find(String command) {
    return files(command).filter(SearchPath::isExecutable).findFirst();
  }

  /**
   * Looks for the command before anything is started in its place.
   *
   * @throws NotStartedException with the code and the words of a shell
   */
  void requireExecutable(String command) {
    if (command.isEmpty()) {
      throw new NotStartedException(ExitCode.NOT_FOUND, "'': command not found");
    }
    if (command.indexOf('/') >= 0) {
      requireFile(command);
    } else if (find(command).isEmpty()) {
      boolean there = files(command).anyMatch(File::isFile);
      throw there
          ? new NotStartedException(ExitCode.NOT_EXECUTABLE, command + ": permission denied")
          : new NotStartedException(ExitCode.NOT_FOUND, command + ": command not found");
    }
  }

  /** An empty directory is the current one. */
  private Stream<File> files(String command) {
    return directories.stream()
        .map(directory -> directory.isEmpty() ? new File(command) : new File(directory, command));
  }

  private static void requireFile(String command) {
    File file = new File(command);
    if (!file.exists()) {
      throw new NotStartedException(ExitCode.NOT_FOUND, command + ": no such file");
    }
    if (!isExecutable(file)) {
      throw new NotStartedException(
          ExitCode.NOT_EXECUTABLE,
          command + (file.isDirectory() ? ": is a directory" : ": permission denied"));
    }
  }

  private static boolean isExecutable(File file) {
    return file.isFile() && file.canExecute();
  }
}
