package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that does what it is told, line by line, with one store and answers each line with one.
 * Lease ids are numbers.
 *
 * <p>{@code open FILE} · {@code try|queue|acquire|renew|release|withdraw NAME ID TTL-MILLIS
 * [shared] [permits=K/N] [fair]} ({@code acquire} polls until it is granted) · {@code remaining
 * NAME} · {@code sh COMMAND} · {@code fill FILE} · {@code limit BYTES} (of files, from the next
 * commit on) · {@code pause} (inside the next write transaction, until the next line) · {@code
 * wall}
 */
final class Puppet {
  private static final Duration WITHIN = Duration.ofSeconds(2);
  private static final long POLL_NANOS = 2_000_000;

  private final BufferedReader in =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final Probe probe = new Probe();
  private Optional<LeaseRowStore> store = Optional.empty();

  private Puppet() {}

  public static void main(String[] args) throws IOException {
    Puppet puppet = new Puppet();
    while (true) {
      String line = puppet.in.readLine();
      if (line == null) {
        return;
      }
      say(puppet.answer(line));
    }
  }

  private static void say(String line) {
    System.out.println(line.replace('\n', ' '));
  }

  private String answer(String line) throws IOException {
    String[] words = line.split(" ", -1);
    try {
      return switch (words[0]) {
        case "open" -> open(Path.of(words[1]));
        case "sh" -> "" + Child.run("sh", "-c", line.substring(3));
        case "fill" -> fill(Path.of(words[1]));
        case "limit" -> {
          probe.beforeNext("COMMIT", () -> limitFiles(words[1]));
          yield "ok";
        }
        case "pause" -> {
          probe.afterNext("BEGIN IMMEDIATE", this::pause);
          yield "ok";
        }
        case "wall" -> "" + System.currentTimeMillis();
        case "remaining" -> {
          LockSnapshot seen = Fixture.only(store.orElseThrow(), words[1]);
          yield "" + seen.holders().get(0).remaining().toMillis();
        }
        default -> verb(words[0], ticket(words));
      };
    } catch (StoreException e) {
      return e.failure() + " " + e.getMessage();
    }
  }

  private String open(Path file) {
    store = Optional.of(Fixture.open(file, probe));
    return "opened";
  }

  private String verb(String verb, Ticket ticket) {
    LeaseRowStore s = store.orElseThrow();
    return switch (verb) {
      case "release" -> Fixture.get(s.release(ticket, WITHIN)).toString();
      case "withdraw" -> Fixture.get(s.withdraw(ticket, WITHIN)).toString();
      case "renew" -> {
        StringBuilder answer = new StringBuilder();
        s.renew(
            List.of(ticket),
            WITHIN,
            (id, renewal) -> answer.append(renewal.getClass().getSimpleName()));
        yield answer.toString();
      }
      case "acquire" -> acquire(s, ticket);
      default -> shown(Fixture.get(s.attempt(ticket, WITHIN)));
    };
  }

  private static String shown(Attempt attempt) {
    if (attempt instanceof Attempt.Granted granted) {
      return "granted " + granted.number();
    }
    return attempt instanceof Attempt.Queued queued ? "queued " + queued.place() : "busy";
  }

  /** As an engine waits: asks from time to time, and attempts when it may. */
  private static String acquire(LeaseRowStore s, Ticket ticket) {
    String answer = shown(Fixture.get(s.attempt(ticket, WITHIN)));
    while (!answer.startsWith("granted")) {
      LockSupport.parkNanos(POLL_NANOS);
      Renewal renewal = Fixture.renew(s, ticket);
      if (renewal instanceof Renewal.Gone) {
        return "gone";
      }
      if (!(renewal instanceof Renewal.Waiting)) {
        answer = shown(Fixture.get(s.attempt(ticket, WITHIN)));
      }
    }
    return answer;
  }

  private static Ticket ticket(String[] words) {
    List<String> how = List.of(words).subList(4, words.length);
    Ticket ticket =
        new Ticket(
            words[1],
            new LeaseId(5, Long.parseLong(words[2])),
            how.contains("shared") ? LockMode.SHARED : LockMode.EXCLUSIVE,
            1,
            1,
            Duration.ofMillis(Long.parseLong(words[3])),
            words[0].equals("try") ? Ticket.Intent.TRY : Ticket.Intent.QUEUE,
            how.contains("fair"),
            "puppet");
    for (String word : how) {
      if (word.startsWith("permits=")) {
        String[] numbers = word.substring(8).split("/", -1);
        return Fixture.permits(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), ticket);
      }
    }
    return ticket;
  }

  private void pause() {
    say("inside");
    try {
      in.readLine();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void limitFiles(String bytes) {
    Child.run(
        "prlimit",
        "--pid",
        Long.toString(ProcessHandle.current().pid()),
        "--fsize=" + bytes + ":unlimited");
  }

  private static String fill(Path file) {
    byte[] block = new byte[4096];
    try (var out = Files.newOutputStream(file)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      return "filled";
    }
  }
}
