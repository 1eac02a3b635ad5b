package io.leasehold.redis;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How the keys of a prefix are named: a protocol between all processes that use it. They differ in
 * the text in braces that the keys of a bucket have in common.
 */
enum Layout {
  /** The number of the bucket. On 16 shards of a cluster one has 7 buckets, and another 25. */
  NUMBERS(1) {
    @Override
    String tag(int bucket) {
      return Integer.toString(bucket);
    }
  },
  /** Three letters, by which each bucket falls into its own 64 of the slots of a cluster. */
  EVEN(2) {
    @Override
    String tag(int bucket) {
      return Tags.OF_BUCKETS[bucket];
    }
  };

  static final int BUCKETS = 256;

  static final Layout NEWEST = EVEN;

  private static final class Tags {
    private static final int FIRST = Integer.parseInt("a00", 36);

    /** Those that are found first: part of the protocol. */
    static final String[] OF_BUCKETS = find();

    private static String[] find() {
      String[] tags = new String[BUCKETS];
      int missing = BUCKETS;
      for (int i = FIRST; missing > 0; i++) {
        String tag = Integer.toString(i, 36);
        int bucket = slot(tag) / (SLOTS / BUCKETS);
        if (tags[bucket] == null) {
          tags[bucket] = tag;
          missing--;
        }
      }
      return tags;
    }
  }

  /** Of a cluster. */
  static final int SLOTS = 16_384;

  private final int version;

  Layout(int version) {
    this.version = version;
  }

  abstract String tag(int bucket);

  /** As the server has it. */
  int version() {
    return version;
  }

  /** Empty if it is of a version that came later. */
  static Optional<Layout> of(String version) {
    return Arrays.stream(values()).filter(each -> version.equals("" + each.version())).findFirst();
  }

  /** Of a cluster: the CRC-16 (XMODEM) of what stands in braces. */
  static int slot(String tag) {
    int crc = 0;
    for (byte each : Command.bytes(tag)) {
      crc =
          IntStream.range(0, 8)
              .reduce(crc ^ each << 8, (bits, i) -> bits << 1 ^ (bits >> 15 & 1) * 0x1021);
    }
    return crc & (SLOTS - 1);
  }
}
