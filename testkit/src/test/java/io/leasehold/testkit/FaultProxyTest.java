package io.leasehold.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.testkit.FaultProxy.Direction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FaultProxyTest {
  private static final String PING = "*1\r\n$4\r\nPING\r\n";
  private static final int PINGS = 5;

  /** Answers each PING with its number, and knows no other bytes. */
  private static final class PingServer implements AutoCloseable {
    final ServerSocket listening = new ServerSocket(0);
    final AtomicInteger answered = new AtomicInteger();
    final List<Thread> threads = new ArrayList<>();

    PingServer() throws IOException {
      start(
          () -> {
            while (true) {
              Socket socket = listening.accept();
              start(() -> answer(socket));
            }
          });
    }

    private void answer(Socket socket) throws IOException {
      try (socket) {
        byte[] ping = new byte[PING.length()];
        while (socket.getInputStream().readNBytes(ping, 0, ping.length) == ping.length) {
          String reply = ":" + answered.incrementAndGet() + "\r\n";
          socket.getOutputStream().write(reply.getBytes(US_ASCII));
        }
      }
    }

    private interface Work {
      void run() throws IOException;
    }

    private synchronized void start(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException closed) {
                  return;
                }
              });
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }

    @Override
    public void close() throws IOException {
      listening.close();
    }
  }

  private PingServer server;
  private FaultProxy proxy;

  @BeforeEach
  void open() throws IOException {
    server = new PingServer();
    proxy = FaultProxy.to("127.0.0.1", server.listening.getLocalPort(), Framing.RESP);
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  private Socket connect() throws IOException {
    return connect(proxy);
  }

  private static Socket connect(FaultProxy proxy) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void ping(Socket socket, int times) throws IOException {
    socket.getOutputStream().write(PING.repeat(times).getBytes(US_ASCII));
  }

  private static String read(Socket socket, String expected) throws IOException {
    return new String(socket.getInputStream().readNBytes(expected.length()), US_ASCII);
  }

  private static String readAll(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), US_ASCII);
  }

  private static String replies(int count) {
    StringBuilder replies = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      replies.append(":").append(i).append("\r\n");
    }
    return replies.toString();
  }

  private static boolean isSilent(Socket socket) throws IOException {
    socket.setSoTimeout(100);
    try {
      socket.getInputStream().read();
      return false;
    } catch (SocketTimeoutException silent) {
      return true;
    } finally {
      socket.setSoTimeout(30_000);
    }
  }

  private void awaitAnswered(int requests) {
    await().atMost(Duration.ofSeconds(30)).until(() -> server.answered.get() == requests);
  }

  @Test
  void forwardsAndEndsAsItsEndsDo() throws IOException {
    try (Socket socket = connect()) {
      ping(socket, 1000);
      socket.shutdownOutput();
      assertThat(readAll(socket)).isEqualTo(replies(1000));
    }
    assertThat(proxy.requests()).isEqualTo(1000);
    await().atMost(Duration.ofSeconds(30)).until(() -> proxy.connections() == 0);
  }

  @Test
  void newConnectionsGoWhereItIsRedirected() throws IOException {
    try (PingServer other = new PingServer();
        Socket before = connect()) {
      ping(before, 1);
      assertThat(read(before, replies(1))).isEqualTo(replies(1));
      proxy.redirect("127.0.0.1", other.listening.getLocalPort());
      try (Socket after = connect()) {
        ping(after, 1);
        assertThat(read(after, replies(1))).isEqualTo(replies(1));
      }
      ping(before, 1);
      assertThat(read(before, ":2\r\n")).isEqualTo(":2\r\n");
      assertThat(other.answered).hasValue(1);
    }
  }

  @Test
  void forwardsWhatItCannotRead() throws IOException {
    byte[] noise = new byte[1_000_000];
    new Random(1).nextBytes(noise);
    try (ServerSocket echo = new ServerSocket(0);
        FaultProxy plain = FaultProxy.to("127.0.0.1", echo.getLocalPort(), Framing.NONE);
        Socket socket = connect(plain);
        Socket accepted = echo.accept()) {
      server.start(
          () -> {
            accepted.getInputStream().transferTo(accepted.getOutputStream());
            accepted.shutdownOutput();
          });
      server.start(
          () -> {
            socket.getOutputStream().write(noise);
            socket.shutdownOutput();
          });
      assertThat(socket.getInputStream().readAllBytes()).isEqualTo(noise);
    }
  }

  @ParameterizedTest
  @EnumSource
  void delays(Direction direction) throws IOException {
    try (Socket socket = connect()) {
      ping(socket, 1);
      assertThat(read(socket, ":1\r\n")).isEqualTo(":1\r\n");
      proxy.delay(direction, Duration.ofMillis(200));
      long start = System.nanoTime();
      ping(socket, 1);
      assertThat(read(socket, ":2\r\n")).isEqualTo(":2\r\n");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(199));
      proxy.delay(direction, Duration.ofHours(1));
      ping(socket, 1);
      assertThat(isSilent(socket)).isTrue();
      proxy.heal();
      assertThat(read(socket, ":3\r\n")).isEqualTo(":3\r\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void drops(Direction direction) throws IOException {
    try (Socket socket = connect()) {
      proxy.drop(direction);
      ping(socket, 1);
      assertThat(isSilent(socket)).isTrue();
      awaitAnswered(direction == Direction.TO_SERVER ? 0 : 1);
      proxy.cutAll();
      proxy.heal();
      assertThat(readAll(socket)).isEmpty();
    }
    server.answered.set(0);
    try (Socket socket = connect()) {
      ping(socket, 1);
      assertThat(read(socket, ":1\r\n")).isEqualTo(":1\r\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void stalls(Direction direction) throws IOException {
    try (Socket socket = connect()) {
      proxy.stall(direction);
      ping(socket, 2);
      assertThat(isSilent(socket)).isTrue();
      awaitAnswered(direction == Direction.TO_SERVER ? 0 : 2);
      proxy.heal();
      assertThat(read(socket, replies(2))).isEqualTo(replies(2));
    }
  }

  @ParameterizedTest
  @EnumSource
  void slices(Direction direction) throws IOException {
    proxy.slice(direction);
    try (Socket socket = connect()) {
      ping(socket, 20);
      assertThat(read(socket, replies(20))).isEqualTo(replies(20));
    }
  }

  @Test
  void aSliceIsOneByte() throws IOException {
    ProxyFaults faults = new ProxyFaults();
    List<Integer> writes = new ArrayList<>();
    ByteArrayOutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            writes.add(length);
          }

          @Override
          public synchronized void write(int value) {
            writes.add(1);
          }
        };
    faults.write(new byte[3], 0, 3, out);
    faults.slice();
    faults.write(new byte[3], 0, 3, out);
    assertThat(writes).containsExactly(3, 1, 1, 1);
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void refuses() throws IOException {
    try (Socket open = connect()) {
      ping(open, 1);
      assertThat(read(open, ":1\r\n")).isEqualTo(":1\r\n");
      proxy.refuse();
      try (Socket refused = connect()) {
        assertThat(isClosed(refused)).isTrue();
      }
      ping(open, 1);
      assertThat(read(open, ":2\r\n")).isEqualTo(":2\r\n");
      proxy.heal();
      try (Socket socket = connect()) {
        ping(socket, 1);
        assertThat(read(socket, ":3\r\n")).isEqualTo(":3\r\n");
      }
    }
  }

  @Test
  void aServerThatIsNotThereClosesTheConnection() throws IOException {
    ServerSocket gone = new ServerSocket(0);
    gone.close();
    try (FaultProxy lonely = FaultProxy.to("127.0.0.1", gone.getLocalPort(), Framing.RESP);
        Socket socket = connect(lonely)) {
      assertThat(readAll(socket)).isEmpty();
    }
  }

  @Test
  void cutsAll() throws IOException {
    try (Socket one = connect();
        Socket other = connect()) {
      ping(one, 1);
      assertThat(read(one, ":1\r\n")).isEqualTo(":1\r\n");
      await().atMost(Duration.ofSeconds(30)).until(() -> proxy.connections() == 2);
      proxy.cutAll();
      assertThat(readAll(one)).isEmpty();
      assertThat(readAll(other)).isEmpty();
      assertThat(proxy.connections()).isZero();
    }
  }

  /** How a client sends. */
  enum Sending {
    ONE_BY_ONE,
    PIPELINED,
    BYTE_BY_BYTE
  }

  /** Sends the pings until the connection is cut; returns what was answered. */
  private String send(Sending sending) throws IOException {
    try (Socket socket = connect()) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      if (sending == Sending.ONE_BY_ONE) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < PINGS; i++) {
          ping(socket, 1);
          String reply = new String(in.readNBytes(4), US_ASCII);
          all.append(reply);
          if (reply.isEmpty()) {
            return all.toString();
          }
        }
        return all.toString();
      }
      if (sending == Sending.PIPELINED) {
        ping(socket, PINGS);
      } else {
        for (byte next : PING.repeat(PINGS).getBytes(US_ASCII)) {
          try {
            socket.getOutputStream().write(next);
          } catch (IOException alreadyCut) {
            break;
          }
        }
      }
      StringBuilder all = new StringBuilder();
      try {
        for (int next = in.read(); next >= 0; next = in.read()) {
          all.append((char) next);
        }
      } catch (IOException reset) {
        return all.toString(); // what was sent after the cut resets the connection
      }
      return all.toString();
    }
  }

  @ParameterizedTest
  @EnumSource(Sending.class)
  void cutsBeforeARequest(Sending sending) throws IOException {
    for (int i = 0; i < PINGS; i++) {
      server.answered.set(0);
      proxy.cutBefore(proxy.requests() + i);
      assertThat(send(sending)).isEqualTo(replies(i));
      assertThat(proxy.cuts()).isEqualTo(i + 1);
      assertThat(server.answered).hasValue(i);
    }
  }

  @ParameterizedTest
  @EnumSource(Sending.class)
  void cutsAfterARequest(Sending sending) throws IOException {
    for (int i = 0; i < PINGS; i++) {
      server.answered.set(0);
      proxy.cutAfter(proxy.requests() + i);
      assertThat(send(sending)).isEqualTo(replies(i));
      assertThat(proxy.cuts()).isEqualTo(i + 1);
      assertThat(server.answered).hasValue(i + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCutHoldsOffUntilWhatWasAskedBeforeIsAnswered(boolean before) throws IOException {
    if (before) {
      proxy.cutBefore(2);
    } else {
      proxy.cutAfter(2);
    }
    proxy.stall(Direction.TO_CLIENT);
    try (Socket socket = connect()) {
      ping(socket, 4);
      await().atMost(Duration.ofSeconds(30)).until(() -> server.answered.get() == (before ? 2 : 3));
      assertThat(isSilent(socket)).isTrue();
      assertThat(proxy.cuts()).isZero();
      proxy.heal();
      assertThat(readAll(socket)).isEqualTo(replies(2));
    }
  }

  @Test
  void aCutThatDidNotHappenIsHealed() throws IOException {
    proxy.cutBefore(0);
    proxy.heal();
    try (Socket socket = connect()) {
      ping(socket, 1);
      assertThat(read(socket, ":1\r\n")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void endsItsThreads() throws IOException {
    Set<Thread> others = Set.copyOf(Thread.getAllStackTraces().keySet());
    FaultProxy stalled = FaultProxy.to("127.0.0.1", server.listening.getLocalPort(), Framing.RESP);
    stalled.stall(Direction.TO_SERVER);
    stalled.delay(Direction.TO_CLIENT, Duration.ofHours(1));
    try (Socket socket = connect(stalled);
        Socket idle = connect(stalled)) {
      ping(socket, 1);
      await().atMost(Duration.ofSeconds(30)).until(() -> stalled.connections() == 2);
      stalled.close();
      assertThat(readAll(idle)).isEmpty();
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> !others.contains(thread))
        .noneMatch(thread -> thread.getName().startsWith("proxy-"));
    assertThatThrownBy(() -> connect(stalled).close()).isInstanceOf(IOException.class);
  }
}
