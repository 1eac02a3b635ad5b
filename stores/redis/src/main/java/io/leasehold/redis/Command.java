package io.leasehold.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One command to the server. */
record Command(Name name, List<byte[]> arguments) {
  /** Those of the few keys that most scripts have; not changed. */
  private static final byte[][] COUNTS = new byte[16][];

  static {
    for (int i = 0; i < COUNTS.length; i++) {
      COUNTS[i] = digits(i);
    }
  }

  /** The commands that a lock needs. */
  enum Name {
    EVALSHA,
    EVAL,
    SCRIPT,
    SET,
    DELEX,
    DELIFEQ,
    CAD,
    CAS,
    EXISTS,
    COMMAND,
    SCAN,
    SUBSCRIBE,
    SSUBSCRIBE,
    PUBLISH,
    SPUBLISH,
    PING,
    INFO,
    CONFIG,
    ROLE,
    SENTINEL,
    WAIT,
    WAITAOF,
    ASKING,
    CLUSTER;

    /** Not changed: client libraries copy it out. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] raw = Command.bytes(name());

    byte[] bytes() {
      return raw;
    }
  }

  /** Whether it asks about all that was sent before it, so that it is sent once for several. */
  boolean isAboutAllBefore() {
    return name == Name.WAIT || name == Name.WAITAOF;
  }

  /** Of all their arguments, in bytes. */
  static int size(List<Command> commands) {
    int size = 0;
    for (Command command : commands) {
      for (byte[] argument : command.arguments()) {
        size += argument.length;
      }
    }
    return size;
  }

  /** The first of its keys; empty if it has none. */
  Optional<byte[]> key() {
    return switch (name) {
      case EVALSHA, EVAL ->
          Optional.of(arguments).filter(all -> all.size() > 2).map(all -> all.get(2));
      case SET, DELEX, DELIFEQ, CAD, CAS, EXISTS -> Optional.of(arguments.get(0));
      default -> Optional.empty();
    };
  }

  /** Of texts; each becomes UTF-8. */
  static Command of(Name name, String... arguments) {
    return new Command(name, Stream.of(arguments).map(Command::bytes).toList());
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A whole number, as digits. */
  static byte[] digits(long number) {
    return bytes(Long.toString(number));
  }

  /** How many there are of something, as digits. */
  static byte[] count(int number) {
    return number < COUNTS.length ? COUNTS[number] : digits(number);
  }

  static String text(Object reply) {
    return new String((byte[]) reply, StandardCharsets.UTF_8);
  }
}
