package io.leasehold.redis;

import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Reads from several connections on one thread. The members of a quorum answer at nearly the same
 * time; threads of their own would be woken one after the other, and take the processor from a
 * server that is about to answer. The thread is there while a connection is. Thread-safe.
 */
final class SharedReader {
  /** For all quorums of this process. */
  static final SharedReader OF_ALL = new SharedReader();

  private final Object mutex = new Object();
  private @Nullable Loop current;

  SharedReader() {}

  /** A connection that is read from, until it leaves. */
  static final class Place {
    private final Loop loop;
    private final SelectionKey key;
    private final AtomicBoolean left = new AtomicBoolean();

    private Place(Loop loop, SelectionKey key) {
      this.loop = loop;
      this.key = key;
    }

    /** Whether to be told when the system takes something to send. */
    void wantsToSend(boolean wants) {
      if (key.isValid()) {
        int unused =
            wants
                ? key.interestOpsOr(SelectionKey.OP_WRITE)
                : key.interestOpsAnd(~SelectionKey.OP_WRITE);
        if (wants) {
          loop.selector.wakeup();
        }
      }
    }

    /** Once its channel is closed. The thread ends with the last of them. */
    void leave() {
      if (left.compareAndSet(false, true)) {
        loop.left();
      }
    }
  }

  /**
   * Reads from one more.
   *
   * @param channel which does not block
   * @param ready called on the reader's thread when something has come or, if that is wanted, can
   *     be sent; it must not wait for anything
   * @throws IOException if the system has no more files or threads
   */
  Place add(SelectableChannel channel, Runnable ready) throws IOException {
    Loop loop;
    synchronized (mutex) {
      loop = current == null ? new Loop() : current;
      current = loop;
      loop.places++;
    }
    try {
      SelectionKey key = channel.register(loop.selector, SelectionKey.OP_READ, ready);
      loop.selector.wakeup();
      return new Place(loop, key);
    } catch (IOException | RuntimeException | Error e) {
      loop.left();
      throw e;
    }
  }

  /** One thread, from the first connection to the last. */
  private final class Loop {
    final Selector selector = Selector.open();
    private final Threads threads = new Threads();

    /** How many connections there are. Guarded by the reader's mutex. */
    int places;

    private volatile boolean ended;
    private volatile @Nullable Thread thread;

    Loop() throws IOException {
      try {
        threads.request(this::run);
      } catch (OutOfMemoryError e) {
        selector.close();
        throw new IOException("no thread to read on: " + e.getMessage(), e);
      }
    }

    private void run() {
      thread = Thread.currentThread();
      try (Selector open = selector) {
        while (!ended) {
          int unused = open.select(Loop::serve);
        }
      } catch (IOException e) {
        Log.error("the members of quorums cannot be read from; they are connected to anew", e);
      } finally {
        end();
        threads.close();
      }
    }

    private static void serve(SelectionKey key) {
      Log.guarded("a connection failed; please report this", (Runnable) key.attachment());
    }

    void left() {
      boolean last;
      synchronized (mutex) {
        places--;
        last = places == 0;
        if (last) {
          end();
        }
      }
      // A channel that was closed is let go by the selector first
      selector.wakeup();
      if (last && !Thread.currentThread().equals(thread)) {
        threads.close();
      }
    }

    private void end() {
      synchronized (mutex) {
        ended = true;
        if (current == this) {
          current = null;
        }
      }
    }
  }
}
