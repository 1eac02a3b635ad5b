package io.leasehold.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** One command to the server. */
record Command(String name, List<byte[]> arguments) {
  /** Of texts; each becomes UTF-8. */
  static Command of(String name, String... arguments) {
    return new Command(name, java.util.Arrays.stream(arguments).map(Command::bytes).toList());
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(Object reply) {
    return new String((byte[]) reply, StandardCharsets.UTF_8);
  }
}
