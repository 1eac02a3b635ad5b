package io.leasehold.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A memcached for tests. What it keeps is gone when it ends.
 *
 * <pre>{@code
 * try (MemcachedServer server = MemcachedServer.start("-M")) {
 *   client = connect(server.url());
 *   server.process().kill();
 *   server.process().start();
 *   server.stats().get("cmd_set");
 * }
 * }</pre>
 */
public final class MemcachedServer implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final ServerProcess process;
  private final Optional<SteppableClock> clock;

  private MemcachedServer(ServerProcess process, Optional<SteppableClock> clock) {
    this.process = process;
    this.clock = clock;
  }

  /**
   * Starts one on a free port.
   *
   * @param options as on its command line
   */
  public static MemcachedServer start(String... options) {
    return start(false, options);
  }

  /** Starts one whose wall clock can be stepped. */
  public static MemcachedServer startWithSteppableClock() {
    return start(true);
  }

  private static MemcachedServer start(boolean steppable, String... options) {
    String program = Programs.server("memcached-1.6").toString();
    try {
      Path folder = Folders.temporary("memcached");
      Optional<SteppableClock> clock =
          steppable ? Optional.of(new SteppableClock(folder)) : Optional.empty();
      ServerProcess.Launch launch =
          (port, data) -> {
            ProcessBuilder builder = command(program, port, options);
            clock.ifPresent(made -> made.addTo(builder.environment()));
            return builder;
          };
      return new MemcachedServer(
          ServerProcess.start(folder, launch, MemcachedServer::answers), clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ProcessBuilder command(String program, int port, String... options) {
    List<String> command = new ArrayList<>(List.of(program, "-l", "127.0.0.1"));
    command.addAll(List.of("-p", String.valueOf(port), "-u", System.getProperty("user.name")));
    command.addAll(List.of(options));
    return new ProcessBuilder(command);
  }

  /** One that wants a login answers an error, and is ready all the same. */
  private static boolean answers(int port) throws IOException {
    return ask(port, "version").get(0).matches("(VERSION|CLIENT_ERROR) .*");
  }

  /** Its URL for clients, without a login. */
  public String url() {
    return "memcached://127.0.0.1:" + process.port();
  }

  /** Its URL by way of a proxy on this machine that listens there. */
  public String urlBy(int proxyPort) {
    return "memcached://127.0.0.1:" + proxyPort;
  }

  /** Steps its wall clock; it must have been started {@link #startWithSteppableClock()}. */
  public void stepClock(Duration step) {
    clock.orElseThrow(() -> new IllegalStateException("no steppable clock")).step(step);
  }

  /** Its process: stop, kill, start, pause, resume. */
  public ServerProcess process() {
    return process;
  }

  /** What it has counted since it started. */
  public Map<String, String> stats() {
    Map<String, String> stats = new HashMap<>();
    for (String line : command("stats")) {
      String[] words = line.split(" ", 3);
      if (words.length == 3) {
        stats.put(words[1], words[2]);
      }
    }
    return stats;
  }

  /**
   * Sends a command on a connection of its own.
   *
   * @param lines the command, and the value that goes with it
   * @return its answer: one line, or those up to END
   */
  public List<String> command(String... lines) {
    try {
      return ask(process.port(), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> ask(int port, String... lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      String request = String.join("\r\n", lines) + "\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      List<String> answer = new ArrayList<>();
      String line = String.valueOf(in.readLine());
      boolean isList = line.startsWith("STAT ") || line.startsWith("VALUE ");
      while (isList && !line.equals("END")) {
        answer.add(line);
        line = String.valueOf(in.readLine());
      }
      answer.add(line);
      return answer;
    }
  }

  /** Kills it. */
  @Override
  public void close() {
    process.close();
  }
}
