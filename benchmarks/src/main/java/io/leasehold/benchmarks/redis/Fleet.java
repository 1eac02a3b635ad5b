package io.leasehold.benchmarks.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The processes of all libraries. They stay, so that they are warm. */
final class Fleet implements AutoCloseable {
  /** What Redisson and Leasehold have if nobody sets it. */
  private static final Duration TTL = Duration.ofSeconds(30);

  private final Path dir;
  private final int port;
  private final int quietPort;
  private final Map<Library, List<ChildProcess>> children = new EnumMap<>(Library.class);

  /**
   * A fleet.
   *
   * @param dir where the processes may leave files
   * @param port of the server
   * @param quietPort of a server that only {@link #fresh} processes use
   */
  Fleet(Path dir, int port, int quietPort) {
    this.dir = dir;
    this.port = port;
    this.quietPort = quietPort;
  }

  /** So many processes of a library, connected. Started if they are not there. */
  List<ChildProcess> of(Contender contender, int count) throws InterruptedException {
    Library library = contender.library();
    List<ChildProcess> mine = children.computeIfAbsent(library, key -> new ArrayList<>());
    while (mine.size() < count) {
      mine.add(ChildProcess.start(dir, library, port, TTL));
      ChildProcess child = mine.get(mine.size() - 1).ready();
      child.ask(Task.pairs(contender, "connect " + library + mine.size(), 1));
    }
    return mine.subList(0, count);
  }

  /** The only process on its server, not connected yet. To be closed by the caller. */
  ChildProcess fresh(Contender contender, Duration ttl) throws InterruptedException {
    return ChildProcess.start(dir, contender.library(), quietPort, ttl).ready();
  }

  /** Ends the processes of a library, one of which has failed. */
  void stop(Library library) {
    List<ChildProcess> stopped = children.remove(library);
    if (stopped != null) {
      stopped.forEach(ChildProcess::close);
    }
  }

  @Override
  public void close() {
    List.copyOf(children.keySet()).forEach(this::stop);
  }
}
