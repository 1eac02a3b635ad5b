package io.leasehold.redis;

import io.leasehold.redis.Command.Name;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * The keys of one prefix. All that one request of a lock touches has the same text in braces, so
 * that it stays together wherever keys are spread; fence numbers rise for each such bucket of
 * names. Thread-safe.
 */
final class Keys {
  /** What every key begins with where nothing else is chosen. */
  static final String PREFIX = "leasehold:";

  /** So that a lock that is taken again and again makes its keys once. */
  private static final int MOST_RECENT = 256;

  private static final String WAKE = "wake:";

  private final String prefix;
  private volatile Names names = new Names(Layout.NEWEST);

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
    private final byte[] order;
    private final byte[] waiters;
    private final byte[] tombstones;
    private final String channels;
    private final byte[][] all;
    private final List<byte[]> touched;

    private OfName(String bucket, String name) {
      this.state = Command.bytes(bucket + "name:" + name);
      this.counter = Command.bytes(bucket + "number");
      this.order = Command.bytes(bucket + "order:" + name);
      this.waiters = Command.bytes(bucket + "waiters:" + name);
      this.tombstones = Command.bytes(bucket + "withdrawn:");
      this.channels = bucket + WAKE;
      this.all = new byte[][] {state, counter, order, waiters};
      this.touched = List.of(all);
    }

    /** Who holds and waits. */
    byte[] state() {
      return state;
    }

    /** The last fence number of its bucket. */
    byte[] counter() {
      return counter;
    }

    /** In which order they wait. */
    byte[] order() {
      return order;
    }

    /** The details of each that waits. */
    byte[] waiters() {
      return waiters;
    }

    /** All that a verb touches that changes who holds. */
    List<byte[]> touched() {
      return touched;
    }

    /** The same, and whether these ids were withdrawn. */
    List<byte[]> touchedWith(List<byte[]> ids) {
      byte[][] both = Arrays.copyOf(all, all.length + ids.size());
      for (int i = all.length; i < both.length; i++) {
        both[i] = tombstone(ids.get(i - all.length));
      }
      return Arrays.asList(both);
    }

    /** On which a client is woken that waits for names of the bucket. */
    String channel(long client) {
      return channels + Long.toHexString(client);
    }

    /** Remembers that an id was withdrawn. */
    byte[] tombstone(byte[] id) {
      byte[] key = Arrays.copyOf(tombstones, tombstones.length + id.length);
      System.arraycopy(id, 0, key, tombstones.length, id.length);
      return key;
    }
  }

  /** The keys of the names in one layout. */
  private final class Names {
    private final Layout layout;
    private final Map<String, OfName> recent = new ConcurrentHashMap<>();

    Names(Layout layout) {
      this.layout = layout;
    }

    OfName of(String name) {
      OfName known = recent.get(name);
      return known == null ? make(name) : known;
    }

    private OfName make(String name) {
      if (recent.size() >= MOST_RECENT) {
        recent.clear();
      }
      CRC32 crc = new CRC32();
      crc.update(Command.bytes(name));
      OfName made = new OfName(bucket(layout, (int) (crc.getValue() % Layout.BUCKETS)), name);
      recent.put(name, made);
      return made;
    }
  }

  private String bucket(Layout layout, int number) {
    return prefix + "{" + layout.tag(number) + "}:";
  }

  OfName of(String name) {
    return names.of(name);
  }

  Layout layout() {
    return names.layout;
  }

  /** From now on. */
  void use(Layout layout) {
    if (layout != names.layout) {
      names = new Names(layout);
    }
  }

  /** Holds the version of the layout. */
  byte[] ofLayout() {
    return Command.bytes(prefix + "layout");
  }

  /** The last fence numbers of all buckets in a layout: they exist as soon as it was used. */
  List<byte[]> counters(Layout layout) {
    return IntStream.range(0, Layout.BUCKETS)
        .mapToObj(number -> Command.bytes(bucket(layout, number) + "number"))
        .toList();
  }

  String prefix() {
    return prefix;
  }

  /** Keys of two buckets, which a cluster has in two slots. */
  List<byte[]> spread() {
    return List.of(Command.bytes(prefix + "{0}:"), Command.bytes(prefix + "{1}:"));
  }

  /** On which a client is woken, whatever it waits for. */
  String channel(long client) {
    return prefix + WAKE + Long.toHexString(client);
  }

  /** A message as those that wake clients, on a channel that none listens to. */
  Command wakeUp(boolean isOfBucket) {
    String channel = (isOfBucket ? bucket(layout(), 0) : prefix) + WAKE;
    return Command.of(isOfBucket ? Name.SPUBLISH : Name.PUBLISH, channel, "");
  }

  /** Whether a channel is that of a bucket: only those have a tag. */
  static boolean isOfBucket(String channel) {
    return channel.indexOf('}') >= 0;
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
