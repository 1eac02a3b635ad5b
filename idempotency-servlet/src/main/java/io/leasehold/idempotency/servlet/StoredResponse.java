package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.Codec;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response as it is kept: status, headers, body. Immutable. */
public final class StoredResponse {
  static final Codec<StoredResponse> CODEC =
      new Codec<>() {
        @Override
        public byte[] encode(StoredResponse value) throws IOException {
          return value.written();
        }

        @Override
        public StoredResponse decode(byte[] bytes) throws IOException {
          return read(bytes);
        }
      };

  private static final int VERSION = 1;

  private enum Kind {
    /** The application wrote it. */
    WHOLE,
    /** The application called sendError: the container writes the page. */
    ERROR,
    /** Its body had more bytes than are kept. */
    TOO_LARGE
  }

  private final Kind kind;
  private final int status;
  private final Map<String, List<String>> headers;
  private final byte[] body;

  private StoredResponse(Kind kind, int status, Map<String, List<String>> headers, byte[] body) {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("a status is 200 to 599, not " + status);
    }
    this.kind = kind;
    this.status = status;
    this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    this.body = body;
  }

  /**
   * A response that a reconciler makes for work that was done.
   *
   * @param status 200 to 599
   * @param headers name and value, as {@code Content-Type}; sent as they are
   */
  public static StoredResponse of(int status, Map<String, String> headers, byte[] body) {
    Map<String, List<String>> lines = new LinkedHashMap<>();
    headers.forEach((name, value) -> lines.put(name, List.of(value)));
    return new StoredResponse(Kind.WHOLE, status, lines, body.clone());
  }

  static StoredResponse whole(int status, Map<String, List<String>> headers, byte[] body) {
    return new StoredResponse(Kind.WHOLE, status, headers, body);
  }

  static StoredResponse error(int status, Map<String, List<String>> headers, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return new StoredResponse(Kind.ERROR, status, headers, bytes);
  }

  static StoredResponse tooLarge(int status) {
    return new StoredResponse(Kind.TOO_LARGE, status, Map.of(), new byte[0]);
  }

  boolean isTooLarge() {
    return kind == Kind.TOO_LARGE;
  }

  /** Sends it again. */
  void replay(HttpServletResponse response) throws IOException {
    response.setStatus(status);
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      boolean first = true;
      for (String value : header.getValue()) {
        if (first) {
          response.setHeader(header.getKey(), value);
        } else {
          response.addHeader(header.getKey(), value);
        }
        first = false;
      }
    }
    send(
        response,
        kind == Kind.ERROR ? new String(body, StandardCharsets.UTF_8) : null,
        status,
        body);
  }

  /** Sends what follows status and headers. */
  static void send(HttpServletResponse response, @Nullable String error, int status, byte[] body)
      throws IOException {
    if (error != null) {
      if (error.isEmpty()) {
        response.sendError(status);
      } else {
        response.sendError(status, error);
      }
    } else if (status != 204 && status != 304) {
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }

  // ---- as bytes

  private byte[] written() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 256);
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    write(out, kind.name().getBytes(StandardCharsets.UTF_8));
    out.writeShort(status);
    out.writeInt(headers.size());
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      write(out, header.getKey().getBytes(StandardCharsets.UTF_8));
      out.writeInt(header.getValue().size());
      for (String value : header.getValue()) {
        write(out, value.getBytes(StandardCharsets.UTF_8));
      }
    }
    write(out, body);
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static StoredResponse read(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != VERSION) {
      throw new IOException("a response of version " + version + " was kept, by a newer release");
    }
    Kind kind = Kind.valueOf(text(in));
    int status = in.readShort();
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = text(in);
      List<String> values = new ArrayList<>();
      for (int more = in.readInt(); more > 0; more--) {
        values.add(text(in));
      }
      headers.put(name, values);
    }
    return new StoredResponse(kind, status, headers, block(in));
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(block(in), StandardCharsets.UTF_8);
  }

  private static byte[] block(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length != length) {
      throw new IOException("a response that was kept ends early");
    }
    return bytes;
  }
}
