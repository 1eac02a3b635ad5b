package io.leasehold.benchmarks.runner;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The processes of all libraries. They stay, so that they are warm. */
final class Fleet implements AutoCloseable {
  /** What Leasehold has if the caller does not set it. */
  private static final Duration TTL = Duration.ofSeconds(30);

  private final Path dir;
  private final Server server;
  private final Map<Library, List<ChildProcess>> children = new HashMap<>();

  /**
   * A fleet.
   *
   * @param dir where the processes may leave files
   * @param server whom they ask
   */
  Fleet(Path dir, Server server) {
    this.dir = dir;
    this.server = server;
  }

  /** So many processes of a library, connected. Started if they are not there. */
  List<ChildProcess> of(Contender contender, int count) throws InterruptedException {
    Library library = contender.library();
    List<ChildProcess> mine = children.computeIfAbsent(library, key -> new ArrayList<>());
    while (mine.size() < count) {
      mine.add(ChildProcess.start(dir, library, server.url(), TTL));
      ChildProcess child = mine.get(mine.size() - 1).ready();
      child.ask(contender.connect("connect " + library + mine.size()));
    }
    return mine.subList(0, count);
  }

  /** The only process on its server, not connected yet. To be closed by the caller. */
  ChildProcess fresh(Contender contender, Duration ttl) throws InterruptedException {
    return ChildProcess.start(dir, contender.library(), server.quietUrl(), ttl).ready();
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
