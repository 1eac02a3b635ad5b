package io.leasehold.benchmarks;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What an uncontended {@code withLock} allocates, by class. Counts all objects in the heap before
 * and after, those that nothing refers to any more included; so nothing may be collected meanwhile,
 * and the heap must have room for all.
 */
final class Allocations {
  /** Less for each operation is the measurement itself. */
  private static final double LEAST_BYTES = 4;

  private final int warmUp;
  private final int operations;

  /**
   * A count.
   *
   * @param warmUp how many locks before it: the compiler saves many objects
   * @param operations how many locks are counted
   */
  Allocations(int warmUp, int operations) {
    this.warmUp = warmUp;
    this.operations = operations;
  }

  /** A line for each class, and one for the sum. */
  List<Figure> figures() throws InterruptedException, JMException {
    try (LockClient client = Memory.client()) {
      DistributedLock lock = client.lock("uncontended");
      repeat(lock, warmUp);
      System.gc();
      long collections = collections();
      Map<String, Long> before = heap();
      repeat(lock, operations);
      Map<String, Long> after = heap();
      if (collections() > collections) {
        throw new IllegalStateException("the heap is too small: something was collected meanwhile");
      }
      return figures(before, after);
    }
  }

  private static void repeat(DistributedLock lock, int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      lock.withLock(lease -> {});
    }
  }

  private List<Figure> figures(Map<String, Long> before, Map<String, Long> after) {
    List<Figure> figures = new ArrayList<>();
    double sum = 0;
    for (Map.Entry<String, Long> entry : after.entrySet()) {
      long grown = entry.getValue() - before.getOrDefault(entry.getKey(), 0L);
      double bytes = (double) grown / operations;
      if (bytes >= LEAST_BYTES) {
        sum += bytes;
        figures.add(Figure.of(entry.getKey(), "B", List.of(bytes)));
      }
    }
    figures.sort(Comparator.comparingDouble(Figure::value).reversed());
    figures.add(Figure.of("all of them", "B", List.of(sum)));
    return figures;
  }

  /** Bytes in the heap by class. Lines look like "12: 345 6789 java.lang.String (java.base)". */
  private static Map<String, Long> heap() throws JMException {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[] {"-all"}},
                new String[] {String[].class.getName()});
    Map<String, Long> bytes = new TreeMap<>();
    for (String line : histogram.toString().split("\n", -1)) {
      String[] columns = line.trim().split("\\s+", -1);
      if (columns.length >= 4 && columns[0].endsWith(":")) {
        // A lambda's class has a number of its own in every run
        bytes.merge(
            columns[3].replaceAll("\\$\\$Lambda.*", " lambda"),
            Long.parseLong(columns[2]),
            Long::sum);
      }
    }
    return bytes;
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
