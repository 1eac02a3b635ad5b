package io.leasehold.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The programs that tests need. */
public final class Programs {
  private Programs() {}

  /**
   * The program of a server, found in PATH or fetched by {@code servers/fetch}. Where it cannot be
   * had the test is aborted, or fails where servers are required.
   *
   * @param server its name in {@code servers/fetch --list}
   */
  public static Path server(String server) {
    String fetch = checkout().resolve("fetch").toString();
    try {
      return Path.of(run(List.of(fetch, server), "servers/fetch " + server));
    } catch (IllegalStateException missing) {
      throw Availability.missingServer(server, missing);
    }
  }

  /** Whether a program is in PATH. */
  static boolean has(String program) {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /**
   * Runs a program to its end.
   *
   * @return the last line of all its output; if it fails the test is aborted with that
   */
  static String run(List<String> command, String what) {
    return run(new ProcessBuilder(command), what);
  }

  /** Runs a program to its end, as {@link #run(List, String)} does; its input may be a file. */
  static String run(ProcessBuilder builder, String what) {
    try {
      Path output = Files.createTempFile("leasehold-", ".out");
      try {
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        process.getOutputStream().close();
        int exitCode = process.waitFor();
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        if (exitCode != 0) {
          throw Availability.missing(what + " failed: " + last);
        }
        return last;
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw Availability.missing(what + " cannot be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + what, e);
    }
  }

  /** Where {@code servers/fetch} keeps what it fetches, and whatever else is slow to make. */
  static Path cache() throws IOException {
    Map<String, String> environment = System.getenv();
    String home = System.getProperty("user.home");
    String caches = environment.getOrDefault("XDG_CACHE_HOME", home + "/.cache");
    String ours = environment.getOrDefault("LEASEHOLD_SERVERS", caches + "/leasehold/servers");
    return Files.createDirectories(Path.of(ours));
  }

  /** The folder {@code servers} of the checkout in which the tests run. */
  static Path checkout() {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isExecutable(folder.resolve("servers/fetch"))) {
        return folder.resolve("servers");
      }
    }
    throw new UncheckedIOException(new IOException("no servers/fetch above " + start));
  }
}
