package io.leasehold.jdbc;

import static org.awaitility.Awaitility.await;

import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that acquires and releases until it is killed, and writes down each grant before the
 * next request.
 */
final class Hammer {
  private static final long HOLD_NANOS = 1_000_000;

  private final LeaseRowStore store;
  private final Kind kind;
  private final Duration ttl;

  private Hammer(LeaseRowStore store, Kind kind, Duration ttl) {
    this.store = store;
    this.kind = kind;
    this.ttl = ttl;
  }

  /** What it acquires. */
  enum Kind {
    /** One of three names. */
    EXCLUSIVE,
    /** One name, mostly shared, sometimes exclusively. */
    MIXED,
    /** Some of the four permits of one name. */
    PERMITS,
    /** One name, shared, the next lease before the last is released. */
    READERS
  }

  /** A grant that was written down; the times are of the clock that all processes share. */
  record Grant(
      String name, long number, String mode, int permits, long asked, long granted, long end) {
    /** Of a line, and the ttl it was granted for. */
    static Grant of(String line, Duration ttl) {
      String[] w = line.split(" ", -1);
      long asked = Long.parseLong(w[4]);
      return new Grant(
          w[0],
          Long.parseLong(w[1]),
          w[2],
          Integer.parseInt(w[3]),
          asked,
          Long.parseLong(w[5]),
          // It may have been paused before it came to the release.
          Math.min(Long.parseLong(w[6]), asked + ttl.toNanos()));
    }

    static List<Grant> readAll(Path dir, Duration ttl) throws IOException {
      List<Grant> grants = new ArrayList<>();
      try (var files = Files.newDirectoryStream(dir, "grants*")) {
        for (Path file : files) {
          Files.readAllLines(file).forEach(line -> grants.add(of(line, ttl)));
        }
      }
      return grants;
    }

    /** Waits until there are more of them than this, so that they mean something. */
    static void awaitMore(Path dir, int than) {
      await().atMost(ServerTest.PATIENCE).until(() -> readAll(dir, Duration.ZERO).size() > than);
    }
  }

  /** Takes the lock file, the file to write to, the ttl in milliseconds, and the kind. */
  public static void main(String[] args) throws IOException {
    Duration ttl = Duration.ofMillis(Long.parseLong(args[2]));
    try (LeaseRowStore store = Fixture.open(Path.of(args[0]));
        var out =
            Files.newOutputStream(
                Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      Hammer hammer = new Hammer(store, Kind.valueOf(args[3]), ttl);
      System.out.println("ready");
      if (hammer.kind == Kind.READERS) {
        hammer.readOnAndOn();
      }
      while (true) {
        hammer.acquireAndRelease(out);
      }
    }
  }

  private void acquireAndRelease(OutputStream out) throws IOException {
    Ticket ticket = next();
    long asked = System.nanoTime();
    Attempt answer = Fixture.attempt(store, ticket);
    long granted = System.nanoTime();
    if (answer instanceof Attempt.Granted g) {
      if (kind != Kind.EXCLUSIVE) {
        // So that others come while it is held.
        LockSupport.parkNanos(HOLD_NANOS);
      }
      String line =
          String.join(
              " ",
              ticket.name(),
              "" + g.number(),
              ticket.mode().name(),
              "" + ticket.permits(),
              "" + asked,
              "" + granted,
              "" + System.nanoTime());
      // One write: a process that is killed leaves whole lines.
      out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      Fixture.release(store, ticket);
    } else {
      Fixture.withdraw(store, ticket);
    }
  }

  private Ticket next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String name = kind == Kind.EXCLUSIVE ? "abc".charAt(random.nextInt(3)) + "" : "a";
    Ticket ticket = Fixture.ticket(name, Ticket.Intent.QUEUE, ttl);
    return switch (kind) {
      case EXCLUSIVE -> ticket;
      case MIXED -> random.nextInt(3) > 0 ? Fixture.shared(ticket) : ticket;
      case PERMITS -> Fixture.permits(1 + random.nextInt(3), 4, ticket);
      case READERS -> Fixture.shared(ticket);
    };
  }

  private void readOnAndOn() {
    Optional<Ticket> held = Optional.empty();
    while (true) {
      Ticket next = next();
      boolean granted = Fixture.attempt(store, next) instanceof Attempt.Granted;
      held.ifPresent(last -> Fixture.release(store, last));
      held = granted ? Optional.of(next) : Optional.empty();
      if (!granted) {
        Fixture.withdraw(store, next);
      }
    }
  }
}
