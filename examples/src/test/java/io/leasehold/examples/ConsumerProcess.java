package io.leasehold.examples;

import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Reconciler.Finding;
import io.leasehold.idempotency.WhileRunning;
import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
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
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * A process that deals with a message by {@link Consumers#jms}; the effect is a line in a file.
 * Arguments: the store's URL, the broker's, the file, and where it stops for good.
 */
final class ConsumerProcess implements AutoCloseable {
  /** Where it stops: it is killed there. */
  enum Stop {
    BEFORE_THE_WORK,
    AFTER_THE_WORK,
    BEFORE_THE_ACKNOWLEDGEMENT,
    NEVER
  }

  private final Process process;
  private final BufferedReader out;

  private ConsumerProcess(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static ConsumerProcess start(String store, String broker, Path effects, Stop stop)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(ConsumerProcess.class.getName());
    command.addAll(List.of(store, broker, effects.toString(), stop.name()));
    return new ConsumerProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The next line that it prints. */
  String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new AssertionError("the process ended");
    }
    return line;
  }

  /** Kills it, with SIGKILL. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  // ---- in the process

  public static void main(String[] args) throws Exception {
    Path effects = Path.of(args[2]);
    Stop stop = Stop.valueOf(args[3]);
    try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(args[1]);
        Connection connection = factory.createConnection();
        Idempotency idempotency =
            Idempotency.builder(IdempotencyStores.open(args[0]))
                .claimLife(Duration.ofMillis(300))
                .build()) {
      connection.start();
      Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
      MessageConsumer queue = session.createConsumer(session.createQueue("orders"));
      IdempotentOperation<String> shipping =
          idempotency
              .operation("shipping", Codec.TEXT)
              .whileRunning(WhileRunning.await(Duration.ofMinutes(1)))
              .reconcile(claim -> find(effects));
      Consumers.jms(
          session,
          stopping(MessageConsumer.class, queue, stop),
          shipping,
          (order, fence) -> {
            stopAt(stop, Stop.BEFORE_THE_WORK);
            String shipped = ship(effects, order);
            stopAt(stop, Stop.AFTER_THE_WORK);
            return shipped;
          });
      System.out.println("done");
    }
  }

  private static Finding<String> find(Path effects) throws IOException {
    List<String> all = Files.exists(effects) ? Files.readAllLines(effects) : List.of();
    return all.isEmpty() ? Finding.notDone() : Finding.done(all.get(0));
  }

  private static String ship(Path effects, String order) {
    try {
      Files.writeString(
          effects, order + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return order;
  }

  private static void stopAt(Stop stop, Stop here) {
    if (stop == here) {
      System.out.println("stopped");
      while (true) {
        LockSupport.park();
      }
    }
  }

  /** Gives messages that stop where they are acknowledged. */
  private static <T> T stopping(Class<T> type, Object real, Stop stop) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          if (method.getName().equals("acknowledge")) {
            stopAt(stop, Stop.BEFORE_THE_ACKNOWLEDGEMENT);
          }
          try {
            Object answer = method.invoke(real, args);
            return answer instanceof Message ? stopping(Message.class, answer, stop) : answer;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(
        Proxy.newProxyInstance(
            ConsumerProcess.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
