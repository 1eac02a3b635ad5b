package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedReaderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SharedReader reader = new SharedReader();
  private final List<End> ends = new ArrayList<>();
  private ServerSocket server;

  /** A connection that is read from, and the server's end of it. */
  private final class End implements AutoCloseable {
    final SocketChannel channel = SocketChannel.open(server.getLocalSocketAddress());
    final Socket peer = server.accept();
    final BlockingQueue<Thread> readBy = new LinkedBlockingQueue<>();
    SharedReader.Place place;

    End() throws IOException {
      channel.configureBlocking(false);
      ends.add(this);
    }

    void readIn(SharedReader by, Runnable then) throws IOException {
      place =
          by.add(
              channel,
              () -> {
                read();
                readBy.add(Thread.currentThread());
                then.run();
              });
    }

    private void read() {
      try {
        int unused = channel.read(ByteBuffer.allocate(100));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Thread send() throws IOException, InterruptedException {
      peer.getOutputStream().write(1);
      Thread by = readBy.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(by).as("read").isNotNull();
      return by;
    }

    void leave() throws IOException {
      channel.close();
      place.leave();
    }

    @Override
    public void close() throws IOException {
      channel.close();
      if (place != null) {
        place.leave();
      }
      peer.close();
    }
  }

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() throws IOException {
    for (End end : ends) {
      end.close();
    }
    server.close();
  }

  private End end(Runnable then) throws IOException {
    End end = new End();
    end.readIn(reader, then);
    return end;
  }

  @Test
  void oneThreadReadsFromAllUntilTheLastLeaves() throws Exception {
    End first = end(() -> {});
    Thread by = first.send();
    End second = end(() -> {});
    assertThat(second.send()).isSameAs(by);
    assertThat(first.send()).isSameAs(by);
    first.leave();
    first.leave();
    assertThat(second.send()).isSameAs(by);
    second.leave();
    by.join(PATIENCE.toMillis());
    assertThat(by.isAlive()).isFalse();
    assertThat(end(() -> {}).send()).isNotSameAs(by);
  }

  @Test
  void anEndThatLeavesOnTheThreadItselfDoesNotWaitForIt() throws Exception {
    End[] only = new End[1];
    only[0] =
        end(
            () -> {
              try {
                only[0].leave();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    Thread by = only[0].send();
    await().atMost(PATIENCE).until(() -> !by.isAlive());
  }

  /** The peer sees the end at once: the selector lets the channel go. */
  @Test
  void oneThatIsClosedIsClosedForThePeer() throws Exception {
    End stays = end(() -> {});
    End closed = end(() -> {});
    closed.leave();
    closed.peer.setSoTimeout((int) PATIENCE.toMillis());
    assertThat(closed.peer.getInputStream().read()).isEqualTo(-1);
    assertThat(stays.send()).isNotNull();
  }

  @Test
  void whatFailsForOneIsNotTheOthers() throws Exception {
    End fails =
        end(
            () -> {
              throw new IllegalStateException("of a test");
            });
    End other = end(() -> {});
    Thread by = fails.send();
    assertThat(other.send()).isSameAs(by);
    assertThat(fails.send()).isSameAs(by);
  }

  @Test
  void itIsToldThatSomethingCanBeSentWhileThatIsWanted() throws Exception {
    End end = end(() -> {});
    end.place.wantsToSend(true);
    assertThat(end.readBy.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    end.place.wantsToSend(false);
    Thread by = end.send();
    await().during(Duration.ofMillis(50)).atMost(PATIENCE).until(() -> isQuiet(end));
    assertThat(by.isAlive()).isTrue();
  }

  private static boolean isQuiet(End end) {
    boolean quiet = end.readBy.isEmpty();
    end.readBy.clear();
    return quiet;
  }

  /** At the moment at which the thread is about to end: both come and leave without a pause. */
  @Test
  void oneThatComesWhileTheLastLeavesIsReadFrom() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                comeAndLeave(false);
              }
            });
    try {
      for (int i = 0; i < 3_000; i++) {
        comeAndLeave(true);
      }
    } finally {
      over.set(true);
    }
    assertThat(other).succeedsWithin(PATIENCE);
  }

  private void comeAndLeave(boolean reads) {
    try {
      Pipe pipe = Pipe.open();
      CompletableFuture<String> read = new CompletableFuture<>();
      SharedReader.Place place = reader.add(source(pipe), () -> read.complete("read"));
      if (reads) {
        assertThat(pipe.sink().write(ByteBuffer.allocate(1))).isEqualTo(1);
        assertThat(read).succeedsWithin(PATIENCE);
      }
      pipe.source().close();
      pipe.sink().close();
      place.leave();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SelectableChannel source(Pipe pipe) throws IOException {
    return pipe.source().configureBlocking(false);
  }

  @Test
  void oneThatCannotBeReadFromLeavesNoThread() throws Exception {
    End closed = new End();
    closed.channel.close();
    assertThatThrownBy(() -> closed.readIn(reader, () -> {}))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(end(() -> {}).send()).isNotNull();
  }
}
