package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server.Work;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;

/**
 * What the server was asked while something was done: requests are commands that clients sent, by
 * {@code MONITOR}; commands are all that it executed, also those of scripts, by {@code INFO
 * commandstats}.
 */
final class RedisCounts {
  private static final String END = "counted";

  /** Of this class, in commandstats. */
  private static final Pattern CALLS =
      Pattern.compile("cmdstat_(?!config|monitor|info|echo)[^:]*:calls=(\\d+)");

  private RedisCounts() {}

  /** Counts during some work. Other clients that use the server count too. */
  static Counts during(int port, Work work) throws InterruptedException {
    try (Jedis jedis = new Jedis("127.0.0.1", port);
        Socket monitor = new Socket(InetAddress.getLoopbackAddress(), port)) {
      monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
      BufferedReader seen =
          new BufferedReader(
              new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
      seen.readLine();
      jedis.configResetStat();
      work.run();
      double commands = commands(jedis.info("commandstats"));
      jedis.echo(END);
      return new Counts(Map.of("requests", requests(seen), "commands", commands));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double commands(String commandStats) {
    double sum = 0;
    for (Matcher each = CALLS.matcher(commandStats); each.find(); ) {
      sum += Long.parseLong(String.valueOf(each.group(1)));
    }
    return sum;
  }

  /** A line is {@code time [database address] command}; a script has the address {@code lua}. */
  private static double requests(BufferedReader seen) throws IOException {
    double requests = 0;
    for (String line = seen.readLine(); line != null && !line.contains(END); ) {
      String command = line.toLowerCase(java.util.Locale.ROOT);
      requests += command.contains(" lua] ") || command.contains("] \"info\"") ? 0 : 1;
      line = seen.readLine();
    }
    return requests;
  }
}
