package io.leasehold.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.commands.ProtocolCommand;

/** One command to the server. */
record Command(Name name, List<byte[]> arguments) {
  /** The commands that a lock needs. */
  enum Name implements ProtocolCommand {
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

    /** Nobody changes it: Jedis copies it out. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] raw = bytes(name());

    @Override
    public byte[] getRaw() {
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
