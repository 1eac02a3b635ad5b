package io.leasehold.benchmarks.redis;

import io.leasehold.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * All that a run needs: one server for everybody, one for who is counted, and the processes.
 *
 * @param shared for everybody
 * @param quiet for who is counted
 * @param fleet the processes
 * @param dir where they leave files
 */
record Servers(RedisServer shared, RedisServer quiet, Fleet fleet, Path dir)
    implements AutoCloseable {

  /** Starts private servers; where there is no program for it, says so. */
  static Servers start(RedisServer.Kind kind) {
    try {
      RedisServer shared = RedisServer.of(kind).start();
      RedisServer quiet = RedisServer.of(kind).start();
      Path dir = Files.createTempDirectory("leasehold-bench");
      return new Servers(shared, quiet, new Fleet(dir, shared.port(), quiet.port()), dir);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Stage stage() {
    return new Stage(dir, quiet.port(), fleet);
  }

  int port() {
    return shared.port();
  }

  @Override
  public void close() {
    fleet.close();
    quiet.close();
    shared.close();
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
