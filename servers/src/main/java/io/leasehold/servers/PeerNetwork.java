package io.leasehold.servers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The network between the servers of a cluster on this machine. A test can cut one of them off: no
 * other reaches it, nor it them, while all go on and serve their clients. Any thread may call any
 * method.
 *
 * <p>Servers know each other by one address, no matter which server dials it. So who dials is told
 * by the way out that a server has, if it goes by a proxy of its own, or by the address from which
 * it dials.
 */
public final class PeerNetwork implements AutoCloseable {
  private static final int NONE = -1;

  private final Map<Integer, InetSocketAddress> servers = new ConcurrentHashMap<>();
  private final List<ServerSocket> doors = new CopyOnWriteArrayList<>();
  private final Set<Way> ways = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "leasehold-peer-network");
            thread.setDaemon(true);
            return thread;
          });
  private volatile int alone = NONE;

  /** A connection of two servers; the one that dialled is {@link #NONE} if it is not known. */
  private record Way(int from, int to, Socket dialled, Socket reached) {
    void close() {
      for (Socket each : List.of(dialled, reached)) {
        try {
          each.close();
        } catch (IOException isClosed) {
          throw new UncheckedIOException(isClosed);
        }
      }
    }
  }

  /** Cuts a server off from all others, also the connections that are open. */
  public void cutOff(int server) {
    alone = server;
    ways.stream().filter(way -> isCut(way.from, way.to)).forEach(Way::close);
  }

  /** All reach each other again. */
  public void heal() {
    alone = NONE;
  }

  private boolean isCut(int from, int to) {
    int cut = alone;
    return cut != NONE && (from == cut || to == cut);
  }

  /** The host by which a proxy of {@link #wayOut} knows a server: on no network. */
  static String host(int server) {
    return "192.0.2." + (1 + server);
  }

  /** Where a server listens. */
  void serve(int server, int port) {
    servers.put(server, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** The port of an HTTP proxy by which this server reaches the others, by their hosts. */
  int wayOut(int from) {
    return listen(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        dialled -> {
          String asked = head(dialled.getInputStream());
          for (Map.Entry<Integer, InetSocketAddress> to : servers.entrySet()) {
            if (asked.startsWith("CONNECT " + host(to.getKey()) + ":")) {
              pass(from, to.getKey(), to.getValue(), dialled, "HTTP/1.1 200 OK\r\n\r\n");
              return;
            }
          }
          dialled.close();
        });
  }

  /**
   * Passes on what comes to an address of a server.
   *
   * @param known the address that others dial
   * @param binds the address that it has, on the same ports
   * @param from what the address of every server begins with; the number of the server follows,
   *     from 1 on. Not every connection comes from there
   */
  void relay(String known, int to, String binds, List<Integer> ports, String from) {
    for (int port : ports) {
      InetSocketAddress target = new InetSocketAddress(binds, port);
      int unused =
          listen(
              new InetSocketAddress(known, port),
              dialled -> {
                String dials = dialled.getInetAddress().getHostAddress();
                boolean tells = dials.startsWith(from);
                int server = tells ? Integer.parseInt(dials.substring(from.length())) - 1 : NONE;
                pass(server, to, target, dialled, "");
              });
    }
  }

  /** Does something with a connection; may block. */
  private interface Visit {
    void of(Socket dialled) throws IOException;
  }

  private int listen(InetSocketAddress at, Visit visit) {
    try {
      ServerSocket door = new ServerSocket();
      doors.add(door);
      door.setReuseAddress(true);
      door.bind(at);
      threads.execute(() -> accept(door, visit));
      return door.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(ServerSocket door, Visit visit) {
    while (!door.isClosed()) {
      try {
        Socket dialled = door.accept();
        threads.execute(
            () -> {
              try (dialled) {
                visit.of(dialled);
              } catch (IOException broken) {
                // As a network does
              }
            });
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      head.write(b);
      if (head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
        break;
      }
    }
    return head.toString(StandardCharsets.US_ASCII);
  }

  /** Passes bytes both ways until an end closes. */
  private void pass(int from, int to, InetSocketAddress target, Socket dialled, String greeting)
      throws IOException {
    try (Socket reached = new Socket()) {
      reached.connect(target);
      Way way = new Way(from, to, dialled, reached);
      ways.add(way);
      try {
        if (!isCut(from, to)) {
          dialled.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
          threads.execute(() -> pump(reached, dialled, way));
          pump(dialled, reached, way);
        }
      } finally {
        ways.remove(way);
      }
    }
  }

  private static void pump(Socket in, Socket out, Way way) {
    try {
      in.getInputStream().transferTo(out.getOutputStream());
    } catch (IOException cut) {
      // As the other end sees it
    } finally {
      way.close();
    }
  }

  @Override
  public void close() {
    for (ServerSocket each : doors) {
      try {
        each.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    ways.forEach(Way::close);
    threads.shutdownNow();
  }
}
