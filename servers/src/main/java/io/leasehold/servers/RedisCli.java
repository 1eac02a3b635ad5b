package io.leasehold.servers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A connection to a Redis server for raw commands. */
public final class RedisCli implements AutoCloseable {
  /** The reply that there is nothing. */
  public enum Nil {
    /** The only one. */
    NIL
  }

  /** The server refused a command. */
  public static final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisError(String message) {
      super(message);
    }
  }

  private static final int TIMEOUT_MILLIS = 10_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RedisCli(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = new BufferedOutputStream(socket.getOutputStream());
  }

  /**
   * Sends a command and waits for its reply, 10 seconds at most.
   *
   * @return a {@code String}, a {@code Long}, a {@code List} of these, or {@link Nil#NIL}
   * @throws RedisError if the server refuses it
   * @throws UncheckedIOException if the connection fails; the command may have been done
   */
  public Object command(String... words) {
    try {
      send(words);
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a command and does not wait. */
  public void send(String... words) throws IOException {
    write("*" + words.length);
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      write("$" + bytes.length);
      out.write(bytes);
      write("");
    }
    out.flush();
  }

  private void write(String line) throws IOException {
    out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** Whether nothing has come for so long; what comes meanwhile stays to be read. */
  public boolean isSilentFor(Duration time) throws IOException {
    in.mark(1);
    socket.setSoTimeout(Math.toIntExact(time.toMillis()));
    try {
      if (in.read() < 0) {
        throw new EOFException("the server closed the connection");
      }
      in.reset();
      return false;
    } catch (SocketTimeoutException silent) {
      return true;
    } finally {
      socket.setSoTimeout(TIMEOUT_MILLIS);
    }
  }

  /** Reads the next reply, or message of a subscription. */
  public Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new RedisError(rest);
      case ':' -> Long.parseLong(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("not RESP: " + line);
    };
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      line.append((char) c);
    }
    line.setLength(line.length() - 1);
    return line.toString();
  }

  private Object bulk(int length) throws IOException {
    if (length < 0) {
      return Nil.NIL;
    }
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    in.skipNBytes(2);
    return text;
  }

  private Object list(int length) throws IOException {
    if (length < 0) {
      return Nil.NIL;
    }
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      list.add(read());
    }
    return list;
  }

  /** A section of INFO, its values by their names. */
  public Map<String, String> info(String section) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String line : command("INFO", section).toString().split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        values.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return values;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
