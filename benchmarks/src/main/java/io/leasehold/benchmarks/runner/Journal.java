package io.leasehold.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that the contending processes share: for each name who is inside, how often it was taken,
 * and each grant. Nothing in it is atomic. It is written by who holds the lock, so two holders are
 * seen by the other's mark, or by grants that overwrote each other; and the order of the grants is
 * the order of the lock.
 *
 * @param memory the mapped file
 * @param names how many names it has
 * @param capacity how many grants of a name it has room for
 */
record Journal(MappedByteBuffer memory, int names, int capacity) {
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final int HEADER = 64;
  private static final int INSIDE = 0;
  private static final int COUNT = 8;
  private static final int WAITING = 16;

  private static final int ENTRY = 32;
  private static final int ARRIVED = 0;
  private static final int GRANTED = 8;
  private static final int RELEASING = 16;
  private static final int THREAD = 24;

  /**
   * One grant. Times are of {@link Clock#nanos()}.
   *
   * @param arrived before the call of {@code lock}
   * @param granted after it
   * @param releasing before the call of {@code unlock}
   * @param thread of which thread, counted over all processes
   */
  record Grant(long arrived, long granted, long releasing, int thread) {}

  /** Maps a file, which is created if it is not there; what is never written takes no space. */
  static Journal map(Path file, int names, int capacity) {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long size = names * (HEADER + (long) ENTRY * capacity);
      return new Journal(channel.map(MapMode.READ_WRITE, 0, size), names, capacity);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the file. */
  static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Notes a grant. By who holds the lock.
   *
   * @return whether no other thread is inside
   */
  boolean enter(int name, int thread, long arrived, long granted) {
    int base = base(name);
    final boolean alone = get(base + INSIDE) == 0;
    set(base + INSIDE, thread + 1);
    set(base + WAITING, 0);
    long count = get(base + COUNT);
    if (count < capacity) {
      int entry = entry(base, count);
      set(entry + ARRIVED, arrived);
      set(entry + GRANTED, granted);
      set(entry + THREAD, thread);
    }
    set(base + COUNT, count + 1);
    return alone;
  }

  /**
   * Notes the end of a grant. By who holds the lock, still.
   *
   * @return whether no other thread came inside
   */
  boolean leave(int name, int thread, long releasing) {
    int base = base(name);
    long count = get(base + COUNT);
    if (count <= capacity) {
      set(entry(base, count - 1) + RELEASING, releasing);
    }
    boolean alone = get(base + INSIDE) == thread + 1;
    set(base + INSIDE, 0);
    return alone;
  }

  /** How often the lock was taken. */
  long count(int name) {
    return get(base(name) + COUNT);
  }

  /** Notes that the only other one waits, until the next grant. */
  void setWaitingSince(int name, long arrived) {
    set(base(name) + WAITING, arrived);
  }

  /** Since when the other one waits, or 0. */
  long waitingSince(int name) {
    return get(base(name) + WAITING);
  }

  /** All grants of a name, in the order in which the lock was given. */
  List<Grant> grants(int name) {
    int base = base(name);
    long count = get(base + COUNT);
    if (count > capacity) {
      throw new IllegalStateException(count + " grants, but room for " + capacity);
    }
    List<Grant> grants = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      int entry = entry(base, i);
      grants.add(
          new Grant(
              get(entry + ARRIVED),
              get(entry + GRANTED),
              get(entry + RELEASING),
              (int) get(entry + THREAD)));
    }
    return grants;
  }

  private int base(int name) {
    return name * (HEADER + ENTRY * capacity);
  }

  private static int entry(int base, long index) {
    return base + HEADER + (int) index * ENTRY;
  }

  private long get(int offset) {
    return (long) LONG.getOpaque(memory, offset);
  }

  private void set(int offset, long value) {
    LONG.setOpaque(memory, offset, value);
  }
}
