package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.IdempotencyStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that does the work of the key {@code key}, whose effect is a line in a file. Arguments:
 * URL, file, threads, the step at which it stops for good (-1: none), and how many milliseconds its
 * claims live. It waits for a line first.
 */
final class OnceProcess implements AutoCloseable {
  /** Before the claim is asked for, after it was answered, after the work, after the completion. */
  static final int STEPS = 4;

  private final Process process;
  private final BufferedReader out;

  private OnceProcess(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static OnceProcess start(String url, Path effects, int threads, int stopAt, long lifeMillis)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(OnceProcess.class.getName());
    command.addAll(List.of(url, effects.toString(), "" + threads, "" + stopAt, "" + lifeMillis));
    return new OnceProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  void go() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** The next line that it prints. */
  String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new AssertionError("the process ended");
    }
    return line;
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("kill failed");
    }
  }

  /** Kills it. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  // ---- in the process

  public static void main(String[] args) throws Exception {
    Path effects = Path.of(args[1]);
    int threads = Integer.parseInt(args[2]);
    int stopAt = Integer.parseInt(args[3]);
    IdempotencyStore store = stopping(IdempotencyStores.open(args[0]), stopAt);
    try (Idempotency idempotency =
        Idempotency.builder(store).claimLife(Duration.ofMillis(Long.parseLong(args[4]))).build()) {
      IdempotentOperation<String> operation = operation(idempotency);
      System.out.println("ready");
      if (System.in.read() < 0) {
        return;
      }
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      List<Future<String>> calls = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        calls.add(pool.submit(() -> once(operation, effects, stopAt)));
      }
      for (Future<String> call : calls) {
        System.out.println(call.get());
      }
      pool.shutdown();
    }
  }

  static IdempotentOperation<String> operation(Idempotency idempotency) {
    return idempotency
        .operation("test", Codec.TEXT)
        .whileRunning(WhileRunning.await(Duration.ofMinutes(1)));
  }

  private static String once(IdempotentOperation<String> operation, Path effects, int stopAt) {
    try {
      return operation.execute(
          Key.of("key"), Fingerprint.none(), claim -> work(effects, stopAt == 2));
    } catch (IdempotencyException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** Has its effect. */
  static String work(Path effects, boolean stops) {
    String line = UUID.randomUUID().toString();
    try {
      Files.writeString(effects, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (stops) {
      stop();
    }
    return line;
  }

  /** Until it is killed, or told to go on. */
  private static void stop() {
    System.out.println("stopped");
    try {
      while (System.in.available() == 0) {
        LockSupport.parkNanos(10_000_000);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IdempotencyStore stopping(IdempotencyStore store, int stopAt) {
    InvocationHandler steps =
        (proxy, method, args) -> {
          String verb = method.getName();
          if (verb.equals("claim") && stopAt == 0) {
            stop();
          }
          try {
            Object answer = method.invoke(store, args);
            if ((verb.equals("claim") && stopAt == 1) || (verb.equals("complete") && stopAt == 3)) {
              stop();
            }
            return answer;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return (IdempotencyStore)
        Proxy.newProxyInstance(
            OnceProcess.class.getClassLoader(), new Class<?>[] {IdempotencyStore.class}, steps);
  }

  /** What a store knows of the key. */
  static ClaimAnswer look(IdempotencyStore store) {
    return store.claim(
        new ClaimRequest(
            Key.of("key").scoped("test", false),
            "0".repeat(32),
            "",
            ClaimRequest.Intent.LOOK,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1)),
        Duration.ofSeconds(10));
  }

  static List<String> effects(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : Arrays.asList();
  }
}
