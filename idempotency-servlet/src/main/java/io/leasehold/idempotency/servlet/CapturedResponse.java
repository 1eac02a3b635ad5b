package io.leasehold.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.System.Logger.Level;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A response whose body stays here until it is stored. Status and headers go to the container's
 * response, which stays uncommitted meanwhile. A body that outgrows what is kept goes on to the
 * client, for it is not stored anyway.
 */
final class CapturedResponse extends HttpServletResponseWrapper {
  private static final System.Logger LOG = System.getLogger(CapturedResponse.class.getName());

  private final HttpServletResponse response;
  private final int maxBody;
  private final Streaming streaming;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final Bytes bytes = new Bytes();

  private boolean streamTaken;
  private @Nullable PrintWriter writer;

  /** The application said that all was written: more would be a stream. */
  private boolean flushed;

  /** A redirect or an error: what is written after it counts for nothing. */
  private boolean ended;

  private @Nullable String error;
  private boolean outgrown;
  private boolean clientGone;

  CapturedResponse(HttpServletResponse response, int maxBody, Streaming streaming) {
    super(response);
    this.response = response;
    this.maxBody = maxBody;
    this.streaming = streaming;
  }

  // ---- for the filter

  /** As it is kept, with those of its headers that are. */
  StoredResponse toStored(Set<String> names) {
    if (outgrown) {
      return StoredResponse.tooLarge(getStatus());
    }
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String name : names) {
      List<String> values = new ArrayList<>(getHeaders(name));
      if (name.equalsIgnoreCase("Content-Type") && getContentType() != null) {
        values = List.of(getContentType());
      }
      if (!values.isEmpty()) {
        headers.put(name, values);
      }
    }
    return error == null
        ? StoredResponse.whole(getStatus(), headers, body.toByteArray())
        : StoredResponse.error(getStatus(), headers, error);
  }

  /** Sends what is here. */
  void send() throws IOException {
    if (!outgrown) {
      StoredResponse.send(response, error, getStatus(), body.toByteArray());
    }
  }

  // ---- the body

  @Override
  public ServletOutputStream getOutputStream() {
    if (writer != null) {
      throw new IllegalStateException("getWriter was called before");
    }
    streamTaken = true;
    return bytes;
  }

  @Override
  public PrintWriter getWriter() {
    if (streamTaken) {
      throw new IllegalStateException("getOutputStream was called before");
    }
    PrintWriter opened = writer;
    if (opened == null) {
      // So that Content-Type says it, as if the container's writer had been taken
      setCharacterEncoding(getCharacterEncoding());
      opened = new PrintWriter(new Chars(Charset.forName(getCharacterEncoding())));
      writer = opened;
    }
    return opened;
  }

  private void write(byte[] from, int offset, int length) {
    if (ended || length == 0) {
      return;
    }
    if (flushed) {
      throw streaming.refuse("the response was flushed before its end");
    }
    if (!outgrown && length <= maxBody - body.size()) {
      body.write(from, offset, length);
      return;
    }
    if (!outgrown) {
      outgrown = true;
      byte[] first = body.toByteArray();
      body.reset();
      pass(first, 0, first.length);
    }
    pass(from, offset, length);
  }

  /** A client that has gone is no reason for the application to fail: its work goes on. */
  private void pass(byte[] from, int offset, int length) {
    if (clientGone) {
      return;
    }
    try {
      response.getOutputStream().write(from, offset, length);
    } catch (IOException e) {
      clientGone = true;
      LOG.log(Level.DEBUG, "the client of a large response has gone", e);
    }
  }

  private final class Bytes extends ServletOutputStream {
    @Override
    public void write(int value) {
      CapturedResponse.this.write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, from.length);
      CapturedResponse.this.write(from, offset, length);
    }

    @Override
    public void flush() {
      flushed = true;
    }

    @Override
    public void close() {
      flushed = true;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      throw streaming.refuse("the response was to be written asynchronously");
    }
  }

  /** Holds no characters back, so that a reset leaves none behind. */
  private final class Chars extends Writer {
    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    private final OutputStreamWriter encoder;

    Chars(Charset charset) {
      encoder = new OutputStreamWriter(encoded, charset);
    }

    @Override
    public void write(char[] from, int offset, int length) throws IOException {
      encoder.write(from, offset, length);
      encoder.flush();
      byte[] made = encoded.toByteArray();
      encoded.reset();
      CapturedResponse.this.write(made, 0, made.length);
    }

    @Override
    public void flush() {
      flushed = true;
    }

    @Override
    public void close() {
      flushed = true;
    }
  }

  @Override
  public void flushBuffer() {
    flushed = true;
  }

  @Override
  public boolean isCommitted() {
    return flushed || ended || outgrown || super.isCommitted();
  }

  private void requireUncommitted() {
    if (isCommitted()) {
      throw new IllegalStateException("the response is committed");
    }
  }

  @Override
  public void resetBuffer() {
    requireUncommitted();
    body.reset();
  }

  @Override
  public void reset() {
    resetBuffer();
    streamTaken = false;
    writer = null;
    super.reset();
  }

  // ---- what ends it

  @Override
  public void sendError(int status) {
    sendError(status, "");
  }

  @Override
  public void sendError(int status, @Nullable String message) {
    resetBuffer();
    setStatus(status);
    error = Objects.requireNonNullElse(message, "");
    ended = true;
  }

  @Override
  public void sendRedirect(String location) {
    sendRedirect(location, SC_FOUND, true);
  }

  /** Of Servlet 6.1, whose wrapper would go past this one; so it is here, though 6.0 has it not. */
  public void sendRedirect(String location, int status, boolean clearBuffer) {
    requireUncommitted();
    if (clearBuffer) {
      body.reset();
    }
    setStatus(status);
    setHeader("Location", location);
    ended = true;
  }

  @Override
  public void setTrailerFields(Supplier<Map<String, String>> supplier) {
    throw streaming.refuse("the response was to have trailer fields");
  }
}
