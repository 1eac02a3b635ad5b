package io.leasehold.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy on this machine, through which a client reaches a server until a test does something
 * to what goes through it.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.RESP)) {
 *   connect(proxy.port());
 *   proxy.cutAfter(proxy.requests());          // the next reply is lost
 *   proxy.stall(Direction.TO_CLIENT);          // and from now on there are none
 *   proxy.heal();
 * }
 * }</pre>
 *
 * <p>A fault holds for all connections, those to come too, until {@link #heal()}. What a socket or
 * a thread already has when a fault begins may still arrive. Any thread may call any method.
 */
public final class FaultProxy implements AutoCloseable {
  /** Which way bytes go. */
  public enum Direction {
    /** Requests. */
    TO_SERVER,
    /** Replies, and what the server sends unasked. */
    TO_CLIENT
  }

  /** What becomes of a request. */
  enum Fate {
    PASSES,
    CUT_BEFORE,
    CUT_AFTER
  }

  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private volatile InetSocketAddress target;
  private final Framing framing;
  private final ServerSocket listening;
  private final ProxyThreads threads = new ProxyThreads();
  private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
  private final ProxyFaults toServer = new ProxyFaults();
  private final ProxyFaults toClient = new ProxyFaults();
  private final Map<Integer, Fate> fates = new ConcurrentHashMap<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger replies = new AtomicInteger();
  private final AtomicInteger cuts = new AtomicInteger();
  private volatile boolean refuses;
  private volatile boolean isClosed;

  private FaultProxy(InetSocketAddress target, Framing framing) throws IOException {
    this.target = target;
    this.framing = framing;
    this.listening = new ServerSocket(0, 1000, InetAddress.getByAddress(LOOPBACK));
  }

  /**
   * A proxy on a free port of 127.0.0.1, without faults.
   *
   * @param framing where requests end, for {@link #requests()} and the cuts at a request; others
   *     need none
   */
  public static FaultProxy to(String host, int port, Framing framing) {
    try {
      FaultProxy proxy = new FaultProxy(new InetSocketAddress(host, port), framing);
      proxy.start("proxy-accept", proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where it listens. */
  public int port() {
    return listening.getLocalPort();
  }

  /** How many requests have begun to arrive, over all connections; the next has this index. */
  public int requests() {
    return requests.get();
  }

  /** How often something has come from the server; what is held back is counted, too. */
  public int replies() {
    return replies.get();
  }

  void countReply() {
    replies.incrementAndGet();
  }

  /** How many connections are open. */
  public int connections() {
    return connections.size();
  }

  /** How many of the cuts at a request have happened. */
  public int cuts() {
    return cuts.get();
  }

  /**
   * Cuts the connection that sends a request before any of it reaches the server. Earlier requests
   * of that connection are done and answered, however many are pipelined; if the server does not
   * answer them, the connection stays.
   *
   * @param request its index, from 0 over all connections: see {@link #requests()}
   */
  public void cutBefore(int request) {
    fates.put(request, Fate.CUT_BEFORE);
  }

  /**
   * Cuts the connection that sends a request once the server has answered it, and none of that
   * reply reaches the client; later requests do not reach the server. Earlier ones are done and
   * answered, however many are pipelined; if the server does not answer, the connection stays.
   *
   * @param request its index, from 0 over all connections: see {@link #requests()}
   */
  public void cutAfter(int request) {
    fates.put(request, Fate.CUT_AFTER);
  }

  /** Cuts the connections that are open now, and none that a client makes because of it. */
  public void cutAll() {
    List.copyOf(connections).forEach(ProxyConnection::close);
  }

  /** New connections go to another server; those that are open stay where they are. */
  public void redirect(String host, int port) {
    target = new InetSocketAddress(host, port);
  }

  /** New connections are closed at once; those that are open stay. */
  public void refuse() {
    refuses = true;
  }

  /** What comes is held for so long, and what comes meanwhile is held after it. */
  public void delay(Direction direction, Duration delay) {
    faults(direction).delay(delay);
  }

  /** Bytes vanish. They do not come back: cut the connections before healing. */
  public void drop(Direction direction) {
    faults(direction).drop();
  }

  /** Bytes are held back, and go on when it is healed; connections stay, also if an end closes. */
  public void stall(Direction direction) {
    faults(direction).stall();
  }

  /** Each byte is sent by itself. */
  public void slice(Direction direction) {
    faults(direction).slice();
  }

  /** Ends all faults, also cuts that have not happened. */
  public void heal() {
    refuses = false;
    fates.clear();
    toServer.heal();
    toClient.heal();
  }

  /** Cuts all connections, listens no more, and returns when its threads have ended. */
  @Override
  public void close() {
    isClosed = true;
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cutAll();
    threads.join(Duration.ofSeconds(30));
  }

  private void accept() {
    while (!isClosed) {
      try {
        Socket client = listening.accept();
        if (refuses) {
          client.setSoLinger(true, 0);
          client.close();
        } else {
          open(client);
        }
      } catch (IOException e) {
        if (!isClosed) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void open(Socket client) {
    ProxyConnection connection = new ProxyConnection(this, client, framing);
    connections.add(connection);
    start("proxy-to-server", () -> connection.run(target));
    if (isClosed) {
      connection.close();
    }
  }

  // ---- for its connections

  void start(String name, Runnable work) {
    threads.start(name, work);
  }

  ProxyFaults faults(Direction direction) {
    return direction == Direction.TO_SERVER ? toServer : toClient;
  }

  Fate nextFate() {
    Fate fate = fates.remove(requests.getAndIncrement());
    return fate == null ? Fate.PASSES : fate;
  }

  void countCut() {
    cuts.incrementAndGet();
  }

  void remove(ProxyConnection connection) {
    connections.remove(connection);
    toServer.signal();
    toClient.signal();
  }
}
