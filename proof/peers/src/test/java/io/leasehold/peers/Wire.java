package io.leasehold.peers;

import io.leasehold.testkit.contract.Faults;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What stands between one client and its server: passes bytes on until told to do harm. */
final class Wire implements Faults, AutoCloseable {
  private enum Mode {
    PASS,
    REFUSE,
    SWALLOW,
    LOSE_REPLIES
  }

  private static final int CHUNK = 16_384;

  private final int server;
  private final ServerSocket door;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger replies = new AtomicInteger();
  private volatile Mode mode = Mode.PASS;

  /** To the server on this port of the loopback. */
  Wire(int server) {
    this.server = server;
    try {
      this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  /** Where the client connects to. */
  int port() {
    return door.getLocalPort();
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (mode == Mode.REFUSE) {
          client.close();
        } else {
          connect(client);
        }
      } catch (IOException refused) {
        // The door was closed, or the server is not there: the client finds out by itself.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket behind;
    try {
      behind = new Socket(InetAddress.getLoopbackAddress(), server);
    } catch (IOException e) {
      client.close();
      throw e;
    }
    client.setTcpNoDelay(true);
    behind.setTcpNoDelay(true);
    open.add(client);
    open.add(behind);
    start(() -> pump(client, behind, Mode.PASS));
    start(() -> pump(behind, client, Mode.LOSE_REPLIES));
  }

  private void pump(Socket from, Socket to, Mode cutsThis) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] chunk = new byte[CHUNK];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (cutsThis == Mode.PASS) {
          requests.incrementAndGet();
        }
        if (cutsThis == Mode.LOSE_REPLIES) {
          replies.incrementAndGet();
        }
        if (mode == Mode.LOSE_REPLIES && cutsThis == Mode.LOSE_REPLIES) {
          return;
        }
        if (mode != Mode.SWALLOW) {
          out.write(chunk, 0, n);
        }
      }
    } catch (IOException ended) {
      // One side hung up: so does the other, by the try.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  /** Starts a thread of no test's group: it is no part of a client. */
  static void start(Runnable work) {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    Thread thread = new Thread(group, work, "wire");
    thread.setDaemon(true);
    thread.start();
  }

  /** Counts what the client sent, in pieces as they came: none means no request. */
  @Override
  public OptionalInt answers() {
    return OptionalInt.of(replies.get());
  }

  @Override
  public int requests() {
    return requests.get();
  }

  @Override
  public void cut() {
    mode = Mode.REFUSE;
    hangUp();
  }

  @Override
  public void silence() {
    mode = Mode.SWALLOW;
  }

  @Override
  public void loseReplies() {
    mode = Mode.LOSE_REPLIES;
  }

  /** What was swallowed stays lost, so the connections that miss it end. */
  @Override
  public void heal() {
    if (mode == Mode.SWALLOW) {
      hangUp();
    }
    mode = Mode.PASS;
  }

  private void hangUp() {
    for (Socket socket : open) {
      closeQuietly(socket);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    hangUp();
  }
}
