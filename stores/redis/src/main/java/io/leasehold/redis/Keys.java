package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import java.util.zip.CRC32;

/**
 * The keys of one prefix. All that one request of a lock touches has the same text in braces, so
 * that it stays together wherever keys are spread; fence numbers rise for each such bucket of
 * names.
 */
final class Keys {
  private static final int BUCKETS = 256;

  private final String prefix;

  Keys(String prefix) {
    if (prefix.isEmpty()
        || prefix.length() > 100
        || prefix.matches("(?s).*[{}*?\\[\\]\\\\\\p{Cntrl}].*")) {
      throw new IllegalArgumentException(
          "a key prefix has 1 to 100 characters, without { } * ? [ ] \\ and control characters");
    }
    this.prefix = prefix;
  }

  byte[] state(String name) {
    return Command.bytes(bucket(name) + "name:" + name);
  }

  byte[] counter(String name) {
    return Command.bytes(bucket(name) + "number");
  }

  /** Remembers that an id was withdrawn. */
  byte[] tombstone(String name, LeaseId id) {
    return Command.bytes(bucket(name) + "withdrawn:" + id);
  }

  /** On which a client is woken. */
  String channel(long client) {
    return prefix + "wake:" + Long.toHexString(client);
  }

  /** Matches the keys of all names. */
  String allStates() {
    return prefix + "{*}:name:*";
  }

  /** The name whose state stands under a key. */
  String name(String state) {
    return state.substring(state.indexOf("}:name:", prefix.length()) + "}:name:".length());
  }

  private String bucket(String name) {
    CRC32 crc = new CRC32();
    crc.update(Command.bytes(name));
    return prefix + "{" + crc.getValue() % BUCKETS + "}:";
  }
}
