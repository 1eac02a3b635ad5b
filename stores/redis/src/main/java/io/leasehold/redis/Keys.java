package io.leasehold.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * The keys of one prefix. All that one request of a lock touches has the same text in braces, so
 * that it stays together wherever keys are spread; fence numbers rise for each such bucket of
 * names. Thread-safe.
 */
final class Keys {
  /** What every key begins with where nothing else is chosen. */
  static final String PREFIX = "leasehold:";

  private static final int BUCKETS = 256;

  /** So that a lock that is taken again and again makes its keys once. */
  private static final int MOST_RECENT = 256;

  private final String prefix;
  private final Map<String, OfName> recent = new ConcurrentHashMap<>();

  Keys(String prefix) {
    if (prefix.isEmpty()
        || prefix.length() > 100
        || prefix.matches("(?s).*[{}*?\\[\\]\\\\\\p{Cntrl}].*")) {
      throw new IllegalArgumentException(
          "a key prefix has 1 to 100 characters, without { } * ? [ ] \\ and control characters");
    }
    this.prefix = prefix;
  }

  /** The keys of one name. */
  static final class OfName {
    private final byte[] state;
    private final byte[] counter;
    private final byte[] tombstones;

    private OfName(String bucket, String name) {
      this.state = Command.bytes(bucket + "name:" + name);
      this.counter = Command.bytes(bucket + "number");
      this.tombstones = Command.bytes(bucket + "withdrawn:");
    }

    /** Who holds and waits. */
    byte[] state() {
      return state;
    }

    /** The last fence number of its bucket. */
    byte[] counter() {
      return counter;
    }

    /** Remembers that an id was withdrawn. */
    byte[] tombstone(byte[] id) {
      byte[] key = Arrays.copyOf(tombstones, tombstones.length + id.length);
      System.arraycopy(id, 0, key, tombstones.length, id.length);
      return key;
    }
  }

  OfName of(String name) {
    OfName known = recent.get(name);
    if (known != null) {
      return known;
    }
    if (recent.size() >= MOST_RECENT) {
      recent.clear();
    }
    OfName made = make(name);
    recent.put(name, made);
    return made;
  }

  private OfName make(String name) {
    CRC32 crc = new CRC32();
    crc.update(Command.bytes(name));
    String bucket = prefix + "{" + crc.getValue() % BUCKETS + "}:";
    return new OfName(bucket, name);
  }

  /** Keys of two buckets, which a cluster has in two slots. */
  List<byte[]> spread() {
    return List.of(Command.bytes(prefix + "{0}:"), Command.bytes(prefix + "{1}:"));
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
}
