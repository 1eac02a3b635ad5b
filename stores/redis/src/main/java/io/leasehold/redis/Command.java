package io.leasehold.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** One command to the server. */
record Command(Name name, List<byte[]> arguments) {
  /** The commands that a lock needs. */
  enum Name {
    EVALSHA,
    EVAL,
    SCRIPT,
    SET,
    DELEX,
    DELIFEQ,
    COMMAND,
    SCAN,
    SUBSCRIBE,
    PING,
    INFO,
    CONFIG;

    /** Not changed: client libraries copy it out. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] raw = Command.bytes(name());

    byte[] bytes() {
      return raw;
    }
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

  static String text(Object reply) {
    return new String((byte[]) reply, StandardCharsets.UTF_8);
  }
}
