package io.leasehold.testkit;

import io.leasehold.testkit.FaultProxy.Direction;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's connection through a proxy, and the one that it stands for. */
final class ProxyConnection {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** A client that does not close what was cut for so long gets a reset. */
  private static final int CLIENT_ENDS_MILLIS = 500;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final ProxyExchange exchange = new ProxyExchange();
  private final Framing.Scanner requests;
  private final Framing.Scanner replies;
  private final AtomicInteger ended = new AtomicInteger();

  /** Whether the client is sending no request. */
  private boolean isBetween = true;

  /** What becomes of the request that the client is sending. */
  private FaultProxy.Fate fate = FaultProxy.Fate.PASSES;

  private volatile boolean isClosed;

  ProxyConnection(FaultProxy proxy, Socket client, Framing framing) {
    this.proxy = proxy;
    this.client = client;
    this.requests = framing.scanner(Direction.TO_SERVER);
    this.replies = framing.scanner(Direction.TO_CLIENT);
  }

  /** Connects to the server, then forwards what the client sends until it has no more. */
  void run(InetSocketAddress address) {
    try {
      server.connect(address, Math.toIntExact(CONNECT.toMillis()));
      server.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      proxy.start("proxy-to-client", () -> pump(server, client, Direction.TO_CLIENT));
      pump(client, server, Direction.TO_SERVER);
    } catch (IOException e) {
      close(); // as the server did, or is not there
    }
  }

  private void pump(Socket from, Socket to, Direction direction) {
    ProxyFaults faults = proxy.faults(direction);
    byte[] chunk = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      boolean goesOn = true;
      while (goesOn) {
        int length = in.read(chunk);
        if (direction == Direction.TO_CLIENT && length > 0) {
          proxy.countReply();
        }
        faults.hold(() -> isClosed);
        if (length < 0) {
          to.shutdownOutput();
          break;
        }
        if (!faults.drops()) {
          goesOn =
              direction == Direction.TO_SERVER
                  ? request(chunk, length, out)
                  : reply(chunk, length, out);
        }
      }
      if (!goesOn && direction == Direction.TO_SERVER) {
        discard(in, chunk);
      }
      if (ended.incrementAndGet() == 2) {
        close();
      }
    } catch (IOException e) {
      close(); // one end broke, so does the other
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  /**
   * Reads what the client goes on to send until it has seen the end of its stream: a socket that is
   * closed before that answers with a reset, and the client would miss earlier answers.
   */
  private void discard(InputStream in, byte[] chunk) throws IOException {
    client.setSoTimeout(CLIENT_ENDS_MILLIS);
    boolean goesOn = true;
    while (goesOn) {
      boolean mayEnd = isClosed;
      try {
        goesOn = in.read(chunk) >= 0;
      } catch (SocketTimeoutException silent) {
        goesOn = !mayEnd;
      }
    }
    close();
  }

  /** Forwards what the client sent; false if nothing more may be. */
  private boolean request(byte[] chunk, int length, OutputStream out) throws IOException {
    ProxyFaults faults = proxy.faults(Direction.TO_SERVER);
    for (int i = 0; i < length; i++) {
      if (isBetween && requests.begins(chunk[i])) {
        fate = proxy.nextFate();
        isBetween = false;
        if (fate == FaultProxy.Fate.CUT_BEFORE) {
          faults.write(chunk, 0, i, out);
          exchange.cutBeforeNext();
          closeIfDue();
          return false;
        }
      }
      if (requests.ends(chunk[i])) {
        isBetween = true;
        if (fate == FaultProxy.Fate.CUT_AFTER) {
          exchange.cutAfterNext();
          faults.write(chunk, 0, i + 1, out);
          return false;
        }
        exchange.send();
      }
    }
    faults.write(chunk, 0, length, out);
    return true;
  }

  /** Forwards what the server sent; false if nothing more may be. */
  private boolean reply(byte[] chunk, int length, OutputStream out) throws IOException {
    int from = 0;
    for (int i = 0; i < length; i++) {
      if (replies.ends(chunk[i])) {
        deliver(chunk, from, i + 1, out);
        from = i + 1;
        exchange.answer(); // only now: the other thread may cut as soon as all is answered
        if (closeIfDue()) {
          return false;
        }
      }
    }
    deliver(chunk, from, length, out);
    return true;
  }

  private void deliver(byte[] chunk, int from, int to, OutputStream out) throws IOException {
    if (from < to && exchange.delivers()) {
      proxy.faults(Direction.TO_CLIENT).write(chunk, from, to, out);
    }
  }

  private boolean closeIfDue() {
    boolean isDue = exchange.takeCut();
    if (isDue) {
      proxy.countCut();
      endStream();
    }
    return isDue;
  }

  /**
   * Ends what the client reads, after all that it was sent; it is closed when the client ends too.
   */
  private void endStream() {
    isClosed = true;
    try (server) {
      client.shutdownOutput();
    } catch (IOException broken) {
      close();
    }
  }

  /** What the client was sent it can still read. */
  void close() {
    isClosed = true;
    proxy.remove(this);
    try (client;
        server) {
      if (client.isConnected() && !client.isClosed() && !client.isOutputShutdown()) {
        client.shutdownOutput();
      }
    } catch (IOException alreadyBroken) {
      return;
    }
  }
}
