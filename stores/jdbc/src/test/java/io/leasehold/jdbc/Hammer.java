package io.leasehold.jdbc;

import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A process that acquires and releases until it is killed, and writes down each grant before the
 * next request: {@code NAME NUMBER ASKED GRANTED RELEASING}, the last three on the clock that all
 * processes of a host share.
 */
final class Hammer {
  private static final String[] NAMES = {"a", "b", "c"};

  private Hammer() {}

  /** Takes the lock file, the file to write to, and the ttl in milliseconds. */
  public static void main(String[] args) throws IOException {
    Duration ttl = Duration.ofMillis(Long.parseLong(args[2]));
    try (LeaseRowStore store = Fixture.open(Path.of(args[0]));
        var out =
            Files.newOutputStream(
                Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      System.out.println("ready");
      while (true) {
        String name = NAMES[ThreadLocalRandom.current().nextInt(NAMES.length)];
        Ticket ticket = Fixture.ticket(name, Ticket.Intent.QUEUE, ttl);
        long asked = System.nanoTime();
        Attempt answer = Fixture.attempt(store, ticket);
        long granted = System.nanoTime();
        if (answer instanceof Attempt.Granted g) {
          String line = name + " " + g.number() + " " + asked + " " + granted + " ";
          // One write: a process that is killed leaves whole lines.
          out.write(
              (line + System.nanoTime() + "\n")
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
          Fixture.release(store, ticket);
        } else {
          Fixture.withdraw(store, ticket);
        }
      }
    }
  }
}
