package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.Fingerprint;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request whose body was read before the application reads it. */
final class CapturedRequest extends HttpServletRequestWrapper {
  private static final String FORM = "application/x-www-form-urlencoded";

  /** By these attributes Tomcat sends a file after the response; no filter sees it. */
  private static final String SENDFILE = "org.apache.tomcat.sendfile.";

  private final HttpServletRequest request;
  private final byte[] body;
  private final Streaming streaming;

  /** Null where the body is no form: the container has the parameters then. */
  private final @Nullable Map<String, String[]> parameters;

  private @Nullable ServletInputStream stream;
  private @Nullable BufferedReader reader;

  private CapturedRequest(
      HttpServletRequest request,
      byte[] body,
      Streaming streaming,
      @Nullable Map<String, String[]> parameters) {
    super(request);
    this.request = request;
    this.body = body;
    this.streaming = streaming;
    this.parameters = parameters;
  }

  /**
   * Reads the body.
   *
   * @throws Refusal if it has more bytes than are allowed, or is of a kind that cannot be replayed
   *     to the application
   */
  static CapturedRequest read(HttpServletRequest request, int maxBody, Streaming streaming)
      throws IOException, Refusal {
    String type = Objects.requireNonNullElse(request.getContentType(), "").toLowerCase(Locale.ROOT);
    if (type.startsWith("multipart/")) {
      throw new Refusal(
          Problem.MULTIPART,
          "Parts cannot be read twice. Send another kind of body, or a form with a one-time token");
    }
    long announced = request.getContentLengthLong();
    if (announced > maxBody) {
      throw tooLarge(maxBody);
    }
    byte[] body = request.getInputStream().readNBytes(maxBody + 1);
    if (body.length > maxBody) {
      throw tooLarge(maxBody);
    }
    boolean isForm = type.equals(FORM) || type.startsWith(FORM + ";");
    if (isForm && body.length > 0) {
      return new CapturedRequest(request, body, streaming, form(request, body));
    }
    // A form that was read before is in the container's parameters; any other body is lost
    if (!isForm && announced > body.length) {
      throw new Refusal(
          Problem.BODY_CONSUMED, "Map IdempotencyFilter before whatever reads the body");
    }
    return new CapturedRequest(request, body, streaming, null);
  }

  private static Refusal tooLarge(int maxBody) {
    return new Refusal(
        Problem.BODY_TOO_LARGE,
        "With an Idempotency-Key a body has at most " + maxBody + " bytes. Nothing was processed");
  }

  /** The parameters of the query, then those of the body, as a container has them. */
  private static Map<String, String[]> form(HttpServletRequest request, byte[] body)
      throws Refusal {
    Map<String, List<String>> all = new LinkedHashMap<>();
    request
        .getParameterMap()
        .forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
    try {
      String encoding = request.getCharacterEncoding();
      Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
      for (String pair : new String(body, StandardCharsets.ISO_8859_1).split("&", -1)) {
        if (!pair.isEmpty()) {
          int end = pair.indexOf('=');
          String name = end < 0 ? pair : pair.substring(0, end);
          String value = end < 0 ? "" : pair.substring(end + 1);
          all.computeIfAbsent(decoded(name, charset), any -> new ArrayList<>())
              .add(decoded(value, charset));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          Problem.BODY_MALFORMED,
          "A % is not followed by two hexadecimal digits, or the charset is unknown");
    }
    Map<String, String[]> parameters = new LinkedHashMap<>();
    all.forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
    return Collections.unmodifiableMap(parameters);
  }

  private static String decoded(String text, Charset charset) {
    // Bytes that are not escaped, though they should be, are of the form's charset too
    String unescaped = new String(text.getBytes(StandardCharsets.ISO_8859_1), charset);
    return URLDecoder.decode(unescaped, charset);
  }

  /** Of method, path, query and body. */
  Fingerprint fingerprint() {
    StringBuilder content = new StringBuilder(Fingerprint.of(body).toString());
    if (body.length == 0 && parameters == null) {
      // What the container has read already, if it was a form; else the query's once more
      for (Map.Entry<String, String[]> each : request.getParameterMap().entrySet()) {
        List<String> values = new ArrayList<>(List.of(each.getValue()));
        values.add(0, each.getKey());
        content.append(Fingerprint.of(values.toArray(String[]::new)));
      }
    }
    return Fingerprint.of(
        request.getMethod(),
        request.getRequestURI(),
        Objects.requireNonNullElse(request.getQueryString(), ""),
        content.toString());
  }

  // ---- the body

  @Override
  public ServletInputStream getInputStream() {
    if (reader != null) {
      throw new IllegalStateException("getReader was called before");
    }
    ServletInputStream opened = stream;
    if (opened == null) {
      opened = new Body(new ByteArrayInputStream(body), streaming);
      stream = opened;
    }
    return opened;
  }

  @Override
  public BufferedReader getReader() throws IOException {
    if (stream != null) {
      throw new IllegalStateException("getInputStream was called before");
    }
    BufferedReader opened = reader;
    if (opened == null) {
      opened = new BufferedReader(new InputStreamReader(new ByteArrayInputStream(body), charset()));
      reader = opened;
    }
    return opened;
  }

  private Charset charset() throws UnsupportedEncodingException {
    String encoding = Objects.requireNonNullElse(getCharacterEncoding(), "ISO-8859-1");
    try {
      return Charset.forName(encoding);
    } catch (IllegalArgumentException e) {
      throw new UnsupportedEncodingException(encoding);
    }
  }

  private static final class Body extends ServletInputStream {
    private final ByteArrayInputStream bytes;
    private final Streaming streaming;

    Body(ByteArrayInputStream bytes, Streaming streaming) {
      this.bytes = bytes;
      this.streaming = streaming;
    }

    @Override
    public int read() {
      return bytes.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      return bytes.read(into, offset, length);
    }

    @Override
    public int available() {
      return bytes.available();
    }

    @Override
    public boolean isFinished() {
      return bytes.available() == 0;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw streaming.refuse("the body was to be read asynchronously");
    }
  }

  // ---- the parameters

  @Override
  public Map<String, String[]> getParameterMap() {
    return parameters == null ? super.getParameterMap() : parameters;
  }

  @Override
  public @Nullable String getParameter(String name) {
    String[] values = getParameterValues(name);
    return values == null || values.length == 0 ? null : values[0];
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    String[] values = getParameterMap().get(name);
    return values == null ? null : values.clone();
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(getParameterMap().keySet());
  }

  @Override
  public Collection<Part> getParts() throws IOException {
    throw new IOException("the body is not multipart");
  }

  @Override
  public Part getPart(String name) throws IOException {
    throw new IOException("the body is not multipart");
  }

  // ---- what would outlive the filter

  @Override
  public boolean isAsyncSupported() {
    return false;
  }

  @Override
  public AsyncContext startAsync() {
    throw streaming.refuse("startAsync was called");
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    throw streaming.refuse("startAsync was called");
  }

  @Override
  public <T extends HttpUpgradeHandler> T upgrade(Class<T> handler) {
    throw streaming.refuse("upgrade was called");
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return name.equals(SENDFILE + "support") ? null : super.getAttribute(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    if (name.startsWith(SENDFILE)) {
      throw streaming.refuse("a file was to be sent by the container (sendfile)");
    }
    super.setAttribute(name, value);
  }
}
