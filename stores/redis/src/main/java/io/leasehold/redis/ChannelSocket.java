package io.leasehold.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A socket like any other until it is listened to, by a thread that waits for it, or shared. From
 * then on no thread waits for it: one that reads from several takes what has come, and sends what
 * the system did not take at once.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // What its monitor guards is not used
final class ChannelSocket extends Socket {
  private final SocketChannel channel;

  /** The channel's, which blocks. */
  private final Socket blocking;

  private final Incoming incoming = new Incoming();

  /** Guards what follows. */
  private final Object mutex = new Object();

  private final Deque<ByteBuffer> unsent = new ArrayDeque<>();

  /**
   * Whether there is any, so that what is sent now has to wait behind it. Set by the thread that
   * sends, reset by the reader. Neither holds the mutex while it is in the system: the other would
   * have to sleep.
   */
  private volatile boolean isUnsent;

  private SharedReader.@Nullable Place place;

  /** Whether what has come is handed out one answer at a time. */
  private volatile boolean apart;

  private volatile boolean shared;

  ChannelSocket() throws IOException {
    channel = SocketChannel.open();
    blocking = channel.socket();
  }

  /**
   * From now on it is read from on the thread of this reader. What was read before must have been
   * the answers to all that was asked.
   *
   * @param ready called there when there is something to {@link #take}, or to send
   */
  void share(SharedReader reader, Runnable ready) throws IOException {
    channel.configureBlocking(false);
    apart = true;
    shared = true;
    SharedReader.Place found = reader.add(channel, ready);
    synchronized (mutex) {
      place = found;
    }
    if (isClosed()) {
      found.leave();
    }
  }

  // ---- reading

  /**
   * From now on one thread reads from it, without a time limit: by {@link #textAfter} or the
   * stream. What was read before must have been the answers to all that was asked.
   */
  void listen() {
    apart = true;
  }

  /** Waits until something comes, and takes it if it is such an answer. */
  byte @Nullable [] textAfter(byte[] head) throws IOException {
    if (incoming.isEmpty()) {
      incoming.take(channel);
    }
    return incoming.textAfter(head);
  }

  /** Takes what has come, and sends what is unsent. On the reader's thread. */
  void take() throws IOException {
    if (isUnsent) {
      sendUnsent();
    }
    incoming.take(channel);
  }

  /** Whether a whole answer is there. */
  boolean hasAnswer() {
    return incoming.hasAnswer();
  }

  @Override
  public InputStream getInputStream() throws IOException {
    InputStream waiting = blocking.getInputStream();
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] target, int offset, int most) throws IOException {
        if (!apart) {
          return waiting.read(target, offset, most);
        }
        while (!shared && !incoming.hasAnswer()) {
          incoming.take(channel);
        }
        return incoming.read(target, offset, most);
      }
    };
  }

  // ---- writing

  @Override
  public OutputStream getOutputStream() throws IOException {
    OutputStream waiting = blocking.getOutputStream();
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] source, int offset, int count) throws IOException {
        if (shared) {
          send(ByteBuffer.wrap(source, offset, count));
        } else {
          waiting.write(source, offset, count);
        }
      }
    };
  }

  /** By one thread at a time. */
  private void send(ByteBuffer bytes) throws IOException {
    if (!isUnsent) {
      int unused = channel.write(bytes);
    }
    if (bytes.hasRemaining()) {
      // The caller writes into its buffer again
      ByteBuffer rest = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      synchronized (mutex) {
        isUnsent = true;
        unsent.addLast(rest);
        if (place != null) {
          place.wantsToSend(true);
        }
      }
    }
  }

  private void sendUnsent() throws IOException {
    for (ByteBuffer first = firstUnsent(); first != null; first = firstUnsent()) {
      int unused = channel.write(first);
      if (first.hasRemaining()) {
        return;
      }
    }
  }

  /** Null if all is sent. */
  private @Nullable ByteBuffer firstUnsent() {
    synchronized (mutex) {
      if (!unsent.isEmpty() && !unsent.getFirst().hasRemaining()) {
        unsent.removeFirst();
      }
      if (unsent.isEmpty()) {
        isUnsent = false;
        if (place != null) {
          place.wantsToSend(false);
        }
      }
      return unsent.peekFirst();
    }
  }

  // ---- the connection

  @Override
  public void connect(SocketAddress where, int timeoutMillis) throws IOException {
    blocking.connect(where, timeoutMillis);
  }

  /** Ends it at once: what is unsent is not sent. */
  @Override
  public void close() throws IOException {
    // First, or what another thread sends would follow a part of what is unsent
    channel.close();
    SharedReader.Place left;
    synchronized (mutex) {
      unsent.clear();
      left = place;
    }
    if (left != null) {
      left.leave();
    }
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public boolean isBound() {
    return blocking.isBound();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return blocking.getRemoteSocketAddress();
  }

  @Override
  public SocketAddress getLocalSocketAddress() {
    return blocking.getLocalSocketAddress();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    blocking.setSoTimeout(millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return blocking.getSoTimeout();
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    blocking.setKeepAlive(on);
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    blocking.setTcpNoDelay(on);
  }

  @Override
  public void setSoLinger(boolean on, int seconds) throws SocketException {
    blocking.setSoLinger(on, seconds);
  }

  @Override
  public String toString() {
    return blocking.toString();
  }
}
