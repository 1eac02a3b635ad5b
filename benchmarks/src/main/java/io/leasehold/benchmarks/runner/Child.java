package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Task.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A process of one library. Takes tasks from its standard input, one a line, and answers on its
 * standard output; ends with its input, so it does not outlive who started it.
 */
final class Child {
  private final Library library;
  private final String url;
  private final Duration ttl;
  private Optional<Client> client = Optional.empty();

  private Child(Library library, String url, Duration ttl) {
    this.library = library;
    this.url = url;
    this.ttl = ttl;
  }

  /** Takes the library's enum and name, the server's URL, and the ttl in milliseconds. */
  public static void main(String... args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // whatever a library prints
    Duration ttl = Duration.ofMillis(Long.parseLong(args[3]));
    Child child = new Child(Library.named(args[0], args[1]), args[2], ttl);
    BufferedReader tasks =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ExecutorService worker = Executors.newSingleThreadExecutor();
    for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
      Task task = Task.parse(line);
      worker.execute(() -> answers.println(child.answer(task).line()));
    }
    Runtime.getRuntime().halt(0);
  }

  private Answer answer(Task task) {
    try {
      return new Answer(
          switch (task.kind()) {
            case CLOCK -> Map.of("nanos", (double) Clock.nanos());
            case PAIRS -> pairs(task);
            case CONTEND -> Contention.run(connected(), task);
            case HAND_OVER -> HandOver.run(task.mutex(connected(), task.name()), task);
            case ENTER_AGAIN -> Inside.enterAgain(task.mutex(connected(), task.name()));
            case IS_HELD -> Inside.isHeld(connected(), task.name());
            case HOLD -> hold(task);
            case CALLS -> Calls.run(connected().once(), task);
            case SUM -> Map.of("sum", (double) connected().rows(task.name(), task.count()).sum());
            case RAISE -> Raising.run(connected().rows(task.name(), task.count()), task);
          },
          "");
    } catch (InterruptedException | RuntimeException | LinkageError e) {
      e.printStackTrace();
      return new Answer(Map.of(), e.toString());
    }
  }

  private Client connected() {
    if (client.isEmpty()) {
      client = Optional.of(library.connect(url, ttl));
    }
    return client.orElseThrow();
  }

  private Map<String, Double> pairs(Task task) {
    Mutex mutex = task.mutex(connected(), task.name());
    for (int i = 0; i < task.count(); i++) {
      mutex.lock();
      mutex.unlock();
    }
    return Map.of();
  }

  /** What the library has for each lock counts, the lock's name does not. */
  private Map<String, Double> hold(Task task) {
    String[] names = new String[task.count()];
    for (int i = 0; i < names.length; i++) {
      names[i] = task.name() + " " + i;
    }
    Object[] held = new Object[names.length];
    int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
    connected().keep(task.name());
    long heapBefore = usedHeap();
    for (int i = 0; i < names.length; i++) {
      held[i] = connected().keep(names[i]);
    }
    double heap = usedHeap() - heapBefore;
    Objects.requireNonNull(held[names.length - 1]);
    double threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore;
    return Map.of("threads", threads, "heap", heap / names.length);
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
