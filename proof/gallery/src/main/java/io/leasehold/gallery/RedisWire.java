package io.leasehold.gallery;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy between one client and a Redis server. It records each command with its reply, and holds
 * back the command before which the client is to stand still.
 */
final class RedisWire implements AutoCloseable {
  /** What Jedis says when it connects. */
  private static final Set<String> HIDDEN = Set.of("CLIENT", "HELLO", "SELECT", "QUIT");

  private final Client client;
  private final String label;
  private final int target;
  private final ServerSocket listening;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /**
   * Begins to listen.
   *
   * @param label what its commands are recorded with, if there are several servers
   * @param target the server's port on this machine
   */
  RedisWire(Client client, String label, int target) {
    this.client = client;
    this.label = label;
    this.target = target;
    try {
      listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "redis-wire");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        sockets.add(socket);
        start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      sockets.add(server);
      InputStream requests = new BufferedInputStream(socket.getInputStream());
      InputStream replies = new BufferedInputStream(server.getInputStream());
      while (true) {
        Value request = Value.read(requests);
        String text = label + request.command();
        if (!client.pace().before(text)) {
          return;
        }
        server.getOutputStream().write(request.bytes);
        Value reply = Value.read(replies);
        if (!HIDDEN.contains(request.words.get(0))) {
          client.says(text + " → " + reply.text);
        }
        socket.getOutputStream().write(reply.bytes);
      }
    } catch (IOException ended) {
      // One end has closed it: the other learns it by that
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A value of RESP2. */
  private static final class Value {
    private final byte[] bytes;
    private final String text;
    private final List<String> words;

    private Value(byte[] bytes, String text, List<String> words) {
      this.bytes = bytes;
      this.text = text;
      this.words = words;
    }

    /** As a person would type it; of a script only its name, which is its first line. */
    String command() {
      if (words.get(0).equals("EVAL")) {
        String name = words.get(1).lines().findFirst().orElse("").replace("-- ", "");
        return "EVAL " + name + " " + String.join(" ", words.subList(3, words.size()));
      }
      return String.join(" ", words);
    }

    static Value read(InputStream in) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      List<String> words = new ArrayList<>();
      String text = read(in, bytes, words);
      return new Value(bytes.toByteArray(), text, words);
    }

    private static String read(InputStream in, ByteArrayOutputStream bytes, List<String> words)
        throws IOException {
      String line = line(in, bytes);
      String rest = line.substring(1);
      switch (line.charAt(0)) {
        case '$' -> {
          int length = Integer.parseInt(rest);
          if (length < 0) {
            return "nil";
          }
          byte[] content = in.readNBytes(length + 2);
          bytes.write(content);
          String word = new String(content, 0, length, StandardCharsets.UTF_8);
          words.add(word);
          return word;
        }
        case '*' -> {
          int count = Integer.parseInt(rest);
          if (count < 0) {
            return "nil";
          }
          List<String> parts = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            parts.add(read(in, bytes, words));
          }
          return parts.toString();
        }
        default -> {
          return rest;
        }
      }
    }

    private static String line(InputStream in, ByteArrayOutputStream bytes) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          throw new EOFException();
        }
        bytes.write(c);
        line.append((char) c);
      }
      bytes.write('\n');
      line.setLength(line.length() - 1);
      return line.toString();
    }
  }
}
