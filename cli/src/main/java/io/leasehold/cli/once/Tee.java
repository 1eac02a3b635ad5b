package io.leasehold.cli.once;

import io.leasehold.cli.once.Kept.Extent;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes a stream of the command on as it comes, on a thread of its own, and keeps its beginning.
 */
public final class Tee {
  /** How many bytes of a stream are kept. */
  public static final int MOST = 1 << 20;

  private static final int AT_ONCE = 1 << 16;

  private final OutputStream to;
  private final Thread thread;
  private final AtomicLong passed = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
  private boolean isCut;
  private volatile @Nullable IOException failure;

  private Tee(Path from, OutputStream to) {
    this.to = to;
    this.thread = new Thread(() -> pump(from), "tee");
    thread.setDaemon(true);
  }

  /**
   * Begins it.
   *
   * @param from a named pipe; that it is opened waits for the other end
   */
  public static Tee start(Path from, OutputStream to) {
    Tee tee = new Tee(from, to);
    tee.thread.start();
    return tee;
  }

  /** Whether the reader of the output has gone. */
  public static boolean isUnread(IOException e) {
    return String.valueOf(e.getMessage()).contains("Broken pipe");
  }

  private void pump(Path from) {
    byte[] buffer = new byte[AT_ONCE];
    // Unbuffered: what has come is read at once. Closed, it is a broken pipe to the command
    try (InputStream in = new FileInputStream(from.toFile())) {
      int n = in.read(buffer);
      while (n >= 0) {
        keep(buffer, n);
        pass(buffer, n);
        passed.addAndGet(n);
        IOException failed = failure;
        if (failed != null && isUnread(failed)) {
          return;
        }
        n = in.read(buffer);
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  private void keep(byte[] buffer, int n) {
    lock.lock();
    try {
      int most = Math.min(n, MOST - beginning.size());
      beginning.write(buffer, 0, most);
      isCut |= most < n;
    } finally {
      lock.unlock();
    }
  }

  /** After a failure, as a full disk, the rest is only kept. */
  private void pass(byte[] buffer, int n) {
    if (failure != null) {
      return;
    }
    try {
      to.write(buffer, 0, n);
    } catch (IOException e) {
      failure = e;
    }
  }

  /** Whether all who could write to it have ended, or closed it. */
  public boolean isEnded() {
    return !thread.isAlive();
  }

  /** How many bytes have come. */
  public long passed() {
    return passed.get();
  }

  /** Why it could not be read, or passed on; empty if only its reader has gone. */
  public Optional<IOException> failure() {
    return Optional.ofNullable(failure).filter(e -> !isUnread(e));
  }

  /** What is kept so far. */
  public Kept kept() {
    lock.lock();
    try {
      return new Kept(isCut ? Extent.BEGINNING : Extent.ALL, beginning.toByteArray());
    } finally {
      lock.unlock();
    }
  }
}
