package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.redis.Task.Answer;
import io.leasehold.benchmarks.redis.Task.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/** The server, the processes, and what they did so far. */
final class Stage {
  /** Before the time that counts, so that all threads are there. */
  private static final Duration RAMP = Duration.ofMillis(300);

  /**
   * Room for grants, in a second: of a name that all want, and of a name of one of many threads.
   */
  private static final int GRANTS = 250_000;

  private static final int GRANTS_OF_ONE = 20_000;

  private final Path dir;
  private final int quietPort;
  private final Fleet fleet;
  private final Map<Contender, Exclusion> exclusions = new EnumMap<>(Contender.class);
  private int measurements;

  /** What may be done while the server counts. */
  interface Work {
    /** Does it. */
    void run() throws InterruptedException;
  }

  /**
   * Whether a lock excluded.
   *
   * @param grants how many were checked
   * @param violations how many found another inside, or were overwritten
   */
  record Exclusion(double grants, double violations) {
    Exclusion plus(Exclusion other) {
      return new Exclusion(grants + other.grants, violations + other.violations);
    }
  }

  /**
   * Who contends.
   *
   * @param processes how many
   * @param threads of each
   * @param names 1, or one for each thread
   * @param work under the lock
   */
  record Shape(int processes, int threads, int names, Duration work) {}

  Stage(Path dir, int quietPort, Fleet fleet) {
    this.dir = dir;
    this.quietPort = quietPort;
    this.fleet = fleet;
  }

  Fleet fleet() {
    return fleet;
  }

  /** So far, of each. */
  Map<Contender, Exclusion> exclusions() {
    return exclusions;
  }

  /** A lock name that was never used. */
  String newName() {
    return "bench-" + measurements++;
  }

  /** A task that is given to a process which has a server for itself. */
  interface Counted {
    /** Does it. */
    Map<String, Double> measure(ChildProcess child) throws InterruptedException;
  }

  /** Measures in a process that is alone on its server, where {@link #count} counts. */
  Map<String, Double> alone(Contender contender, Duration ttl, Counted counted)
      throws InterruptedException {
    try (ChildProcess child = fleet.fresh(contender, ttl)) {
      return counted.measure(child);
    } finally {
      try (Jedis jedis = new Jedis("127.0.0.1", quietPort)) {
        jedis.flushAll();
      }
    }
  }

  /** What the process did that is alone on its server. */
  ServerCounts count(Work work) throws InterruptedException {
    return ServerCounts.during(quietPort, work);
  }

  /** Lets threads contend for a while. */
  Grants contend(Contender contender, Shape shape, Duration length) throws InterruptedException {
    return journaled(contender, Kind.CONTEND, shape, length);
  }

  /** Lets two processes pass a lock to each other. */
  Grants handOver(Contender contender, Duration length) throws InterruptedException {
    return journaled(contender, Kind.HAND_OVER, new Shape(2, 1, 1, Duration.ZERO), length);
  }

  private Grants journaled(Contender contender, Kind kind, Shape shape, Duration length)
      throws InterruptedException {
    List<ChildProcess> children = fleet.of(contender, shape.processes());
    Path file = dir.resolve("journal-" + measurements);
    long millis = RAMP.plus(length).toMillis();
    int capacity = (int) ((shape.names() == 1 ? GRANTS : GRANTS_OF_ONE) * millis / 1000);
    Journal journal = Journal.map(file, shape.names(), capacity);
    try {
      long from = Clock.nanos() + RAMP.toNanos();
      long until = from + length.toNanos();
      for (int i = 0; i < children.size(); i++) {
        children
            .get(i)
            .tell(
                new Task(
                    kind,
                    contender,
                    "bench-" + measurements,
                    0,
                    new Task.Shared(file.toString(), shape.names(), capacity),
                    i * shape.threads(),
                    shape.threads(),
                    until,
                    shape.work().toNanos()));
      }
      check(contender, children, journal);
      List<List<Journal.Grant>> byName =
          IntStream.range(0, shape.names()).mapToObj(journal::grants).toList();
      return new Grants(byName, shape.processes(), shape.threads(), from, until);
    } finally {
      measurements++;
      Journal.delete(file);
    }
  }

  private void check(Contender contender, List<ChildProcess> children, Journal journal)
      throws InterruptedException {
    List<Answer> answers = new ArrayList<>();
    for (ChildProcess child : children) {
      answers.add(child.answer());
    }
    double grants = answers.stream().mapToDouble(answer -> answer.value("grants")).sum();
    double seen = answers.stream().mapToDouble(answer -> answer.value("violations")).sum();
    double noted = IntStream.range(0, journal.names()).mapToLong(journal::count).sum();
    exclusions.merge(
        contender, new Exclusion(grants, seen + Math.abs(grants - noted)), Exclusion::plus);
  }
}
