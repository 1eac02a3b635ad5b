package io.leasehold.internal;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Log;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who this process is, for people: host and process id. Asks no name service, which can be slow.
 */
final class Identity {
  private static final int MOST_OF_A_TRACE = 64;
  private static final int MOST_OF_A_THREAD = 128;
  private static final int MOST_OF_A_HOST = 255;

  /** A power of two. */
  private static final int RECENT = 64;

  private final String process =
      plain(host(), MOST_OF_A_HOST) + "/" + ProcessHandle.current().pid();
  private final String async = process + "/async";

  private final Supplier<@Nullable String> trace;

  /** Lease ids are these bits, and a count that begins at others. */
  private final long client;

  private final AtomicLong sequence;

  /**
   * Threads that asked lately, by the last bits of their ids: one that locks in a loop makes its
   * text once. A thread may miss what another has just put there, and makes it anew.
   */
  private final @Nullable Named[] recent = new Named[RECENT];

  private record Named(String thread, String holder) {}

  /**
   * @param random bits for lease ids: drawn twice, here
   */
  Identity(Supplier<@Nullable String> trace, LongSupplier random) {
    this.trace = trace;
    this.client = random.getAsLong();
    this.sequence = new AtomicLong(random.getAsLong());
  }

  /** Bits for one identity, from the kernel: to load SecureRandom takes a start 15 ms. */
  static LongSupplier random() {
    try (InputStream kernel = new FileInputStream("/dev/urandom")) {
      byte[] bits = kernel.readNBytes(2 * Long.BYTES);
      if (bits.length == 2 * Long.BYTES) {
        return ByteBuffer.wrap(bits)::getLong;
      }
    } catch (IOException e) {
      // A system without it
    }
    return new SecureRandom()::nextLong;
  }

  /** A ticket for what this caller wants, under a lease id that no other has. */
  Ticket ticket(Waiter waiter) {
    Terms terms = waiter.terms;
    return new Ticket(
        waiter.name,
        new LeaseId(client, sequence.incrementAndGet()),
        terms.mode(),
        terms.permits(),
        terms.limit(),
        terms.ttl(),
        waiter.intent,
        terms.fair(),
        holder(waiter.thread, waiter.traceId));
  }

  /** The course in which the calling thread asks for a lock; empty if it is not known. */
  String traceId() {
    try {
      String id = trace.get();
      return id == null ? "" : plain(id, MOST_OF_A_TRACE);
    } catch (RuntimeException e) {
      Log.error("the trace id could not be had", e);
      return "";
    }
  }

  /** For one line, and no longer than people want to read and every store can keep. */
  private static String plain(String text, int most) {
    StringBuilder plain = new StringBuilder(Math.min(most, text.length()));
    int next = 0;
    for (int count = 0; count < most && next < text.length(); count++) {
      int c = text.codePointAt(next);
      next += Character.charCount(c);
      boolean isShown = !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE;
      plain.appendCodePoint(isShown ? c : '?');
    }
    return plain.toString();
  }

  /** Who takes a lock: host, process id, thread, and the trace if there is one. */
  String holder(@Nullable Thread thread, String traceId) {
    return traceId.isEmpty() ? holder(thread) : holder(thread) + " trace " + traceId;
  }

  private String holder(@Nullable Thread thread) {
    if (thread == null) {
      return async;
    }
    String name = thread.getName();
    if (name.isEmpty()) {
      // As a virtual thread has none
      return process + "/#" + thread.getId();
    }
    int place = (int) thread.getId() & (RECENT - 1);
    Named named = recent[place];
    if (named == null || !named.thread.equals(name)) {
      named = new Named(name, process + "/" + plain(name, MOST_OF_A_THREAD));
      recent[place] = named;
    }
    return named.holder;
  }

  private static String host() {
    Path kernel = Path.of("/proc/sys/kernel/hostname");
    try {
      if (Files.isReadable(kernel)) {
        return Files.readString(kernel).trim();
      }
    } catch (IOException e) {
      Log.warn("cannot read " + kernel + ": " + e);
    }
    String named = System.getenv("HOSTNAME");
    if (named == null) {
      named = System.getenv("COMPUTERNAME");
    }
    return named == null || named.isBlank() ? "localhost" : named;
  }
}
