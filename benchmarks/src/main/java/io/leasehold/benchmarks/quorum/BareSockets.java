package io.leasehold.benchmarks.quorum;

import io.leasehold.benchmarks.redis.Floor;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * The least that a majority of servers can cost: one thread writes to as many as are one, and waits
 * until they have answered. It asks no others if one fails, and does not wait for a lock. For one
 * thread.
 */
final class BareSockets implements Client {
  private final Selector selector;
  private final List<Member> members = new ArrayList<>();
  private final String ttl;
  private final String release;

  /** How often they were asked. */
  private int asked;

  /** A server. Each answer is one line. */
  private static final class Member {
    final SocketChannel channel;
    private final ByteBuffer read = ByteBuffer.allocateDirect(1024);
    private int answers;
    private boolean isYes;

    /** Of the answer that has not come whole; empty before its first byte. */
    private String begin = "";

    Member(URI server, Selector selector) throws IOException {
      channel = SocketChannel.open(new InetSocketAddress(server.getHost(), server.getPort()));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
    }

    void take() {
      try {
        if (channel.read(read) < 0) {
          throw new IOException("a server ended the connection");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      for (read.flip(); read.hasRemaining(); ) {
        char next = (char) read.get();
        begin = begin.length() < 2 ? begin + next : begin;
        if (next == '\n') {
          answers++;
          // And neither nil nor 0
          isYes = begin.equals("+O") || begin.equals(":1");
          begin = "";
        }
      }
      read.clear();
    }
  }

  BareSockets(Duration ttl, String... servers) {
    this.ttl = String.valueOf(ttl.toMillis());
    String sha = "";
    try {
      selector = Selector.open();
      int majority = servers.length / 2 + 1;
      for (String server : Arrays.copyOf(servers, majority)) {
        try (Jedis jedis = new Jedis(URI.create(server))) {
          sha = jedis.scriptLoad(Floor.RELEASE);
        }
        members.add(new Member(URI.create(server), selector));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    release = sha;
  }

  @Override
  public Mutex mutex(String name) {
    return new Floor() {
      @Override
      protected boolean take(String value) {
        return ask("SET", name, value, "NX", "PX", ttl);
      }

      @Override
      protected boolean release(String value) {
        return ask("EVALSHA", release, "1", name, value);
      }
    };
  }

  /** Whether all say yes. */
  private boolean ask(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    ByteBuffer request = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
    asked++;
    try {
      for (Member member : members) {
        request.rewind();
        int written = member.channel.write(request);
        if (written < request.limit()) {
          throw new IOException("a server takes no more");
        }
      }
      while (count(false) < members.size()) {
        int unused = selector.select(key -> ((Member) key.attachment()).take());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return count(true) == members.size();
  }

  /** How many have answered what they were asked last, or have said yes to it. */
  private int count(boolean yes) {
    int found = 0;
    for (Member member : members) {
      if (member.answers == asked && (member.isYes || !yes)) {
        found++;
      }
    }
    return found;
  }
}
