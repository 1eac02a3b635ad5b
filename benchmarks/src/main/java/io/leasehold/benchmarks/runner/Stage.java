package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Task.Answer;
import io.leasehold.benchmarks.runner.Task.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The server, the processes, and what they did so far. */
public final class Stage implements AutoCloseable {
  /** Before the time that counts, so that all threads are there. */
  private static final Duration RAMP = Duration.ofMillis(300);

  /**
   * Room for grants, in a second: of a name that all want, and of a name of one of many threads.
   */
  private static final int GRANTS = 250_000;

  private static final int GRANTS_OF_ONE = 20_000;

  /** Of processes that pass a lock to each other. */
  private static final Duration WARM_UP = Duration.ofSeconds(1);

  private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(10);

  private final Path dir;
  private final Server server;
  private final Fleet fleet;
  private final Map<Contender, Exclusion> exclusions =
      new TreeMap<>(Comparator.comparingInt(Contender::ordinal));
  private int measurements;

  /**
   * Whether a lock excluded.
   *
   * @param grants how many were checked
   * @param violations how many found another inside, or were overwritten
   */
  public record Exclusion(double grants, double violations) {
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
  public record Shape(int processes, int threads, int names, Duration work) {}

  /** On a server, which is closed with it. */
  public Stage(Server server) {
    try {
      this.dir = Files.createTempDirectory("leasehold-bench");
    } catch (IOException e) {
      server.close();
      throw new UncheckedIOException(e);
    }
    this.server = server;
    this.fleet = new Fleet(dir, server);
  }

  /** The processes. */
  Fleet fleet() {
    return fleet;
  }

  /** So far, of each. */
  public Map<Contender, Exclusion> exclusions() {
    return exclusions;
  }

  /** A lock name that was never used. */
  public String newName() {
    return "bench-" + measurements++;
  }

  /** A task that is given to a process which has a server for itself. */
  public interface Counted {
    /** Does it. */
    Map<String, Double> measure(ChildProcess child) throws InterruptedException;
  }

  /** Asks one of the processes that stay. */
  public Task.Answer ask(Contender contender, Task task) throws InterruptedException {
    return fleet.of(contender, 1).get(0).ask(task);
  }

  /** Asks some of the processes that stay, at the same time. */
  public List<Task.Answer> ask(Contender contender, int processes, Task task)
      throws InterruptedException {
    List<ChildProcess> children = fleet.of(contender, processes);
    for (ChildProcess child : children) {
      child.tell(task);
    }
    return answers(children);
  }

  /** Measures in a process that is alone on its server, where {@link #count} counts. */
  public Map<String, Double> alone(Contender contender, Duration ttl, Counted counted)
      throws InterruptedException {
    try (ChildProcess child = fleet.fresh(contender, ttl)) {
      return counted.measure(child);
    }
  }

  /** What the process did that is alone on its server. */
  public Counts count(Server.Work work) throws InterruptedException {
    return server.count(work);
  }

  /** Lets threads contend for a while. */
  public Grants contend(Contender contender, Shape shape, Duration length)
      throws InterruptedException {
    return journaled(contender, Kind.CONTEND, shape, length);
  }

  /**
   * Lets two processes pass a lock to each other.
   *
   * @param settled how long the other has waited when the lock is released
   */
  public Grants handOver(Contender contender, Duration settled, Duration length)
      throws InterruptedException {
    return journaled(contender, Kind.HAND_OVER, new Shape(2, 1, 1, settled), length);
  }

  /**
   * The same with two processes that have done nothing before, and once more after they have passed
   * it to each other so many times, or for long.
   */
  public List<Grants> handOverColdAndAfter(
      int times, Contender contender, Duration settled, Duration length)
      throws InterruptedException {
    Shape rested = new Shape(2, 1, 1, settled);
    Shape atOnce = new Shape(2, 1, 1, Duration.ZERO);
    try (Fleet pair = new Fleet(dir, server)) {
      List<ChildProcess> children = pair.of(contender, 2);
      Grants cold = journaled(children, contender, Kind.HAND_OVER, rested, length);
      long end = Clock.nanos() + LONGEST_WARM_UP.toNanos();
      int made = 0;
      while (made < times && Clock.nanos() < end) {
        made += journaled(children, contender, Kind.HAND_OVER, atOnce, WARM_UP).count();
      }
      return List.of(cold, journaled(children, contender, Kind.HAND_OVER, rested, length));
    }
  }

  private Grants journaled(Contender contender, Kind kind, Shape shape, Duration length)
      throws InterruptedException {
    return journaled(fleet.of(contender, shape.processes()), contender, kind, shape, length);
  }

  private Grants journaled(
      List<ChildProcess> children, Contender contender, Kind kind, Shape shape, Duration length)
      throws InterruptedException {
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
                    contender.isFair(),
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
    List<Answer> answers = answers(children);
    double grants = answers.stream().mapToDouble(answer -> answer.value("grants")).sum();
    double seen = answers.stream().mapToDouble(answer -> answer.value("violations")).sum();
    double noted = IntStream.range(0, journal.names()).mapToLong(journal::count).sum();
    exclusions.merge(
        contender, new Exclusion(grants, seen + Math.abs(grants - noted)), Exclusion::plus);
  }

  private static List<Answer> answers(List<ChildProcess> children) throws InterruptedException {
    List<Answer> answers = new ArrayList<>();
    for (ChildProcess child : children) {
      answers.add(child.answer());
    }
    return answers;
  }

  @Override
  public void close() {
    fleet.close();
    server.close();
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
