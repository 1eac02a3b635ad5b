package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.Idempotency;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty on a free port, with the filter and an application; the header X-User says who asks. */
final class Web implements AutoCloseable {
  /** An application. */
  @FunctionalInterface
  interface App {
    void handle(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException;
  }

  /** How often the application was called. */
  final AtomicInteger calls = new AtomicInteger();

  private final Server server = new Server(new QueuedThreadPool(100));
  private final ServerConnector connector = new ServerConnector(server);

  Web(IdempotencyFilter.Builder filter, App app) throws Exception {
    this(filter, null, app);
  }

  /** With a filter before that of this module, behind the one that authenticates. */
  Web(IdempotencyFilter.Builder filter, Filter before, App app) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    add(context, new Authentication());
    if (before != null) {
      add(context, before);
    }
    add(context, filter.build());
    ServletHolder holder = new ServletHolder(new Application(app));
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    server.setHandler(context);
    server.start();
  }

  static IdempotencyFilter.Builder filter(Idempotency idempotency) {
    return IdempotencyFilter.builder(idempotency);
  }

  private static void add(ServletContextHandler context, Filter filter) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ERROR));
  }

  int port() {
    return connector.getLocalPort();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** A POST of alice. */
  HttpRequest.Builder post(String path, String key, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .header("X-User", "alice")
            .POST(BodyPublishers.ofString(body));
    return key == null ? request : request.header("Idempotency-Key", key);
  }

  /**
   * Each by a connection of its own: the server ends one whose request was refused before all of it
   * came, perhaps when the next has just been sent on it.
   */
  HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  HttpResponse<String> sendPost(String path, String key, String body) {
    return send(post(path, key, body));
  }

  /** The status line and all after it, for a POST of alice whose lines are sent as they are. */
  String sendRaw(String headers, String body) throws IOException {
    try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port())) {
      String request =
          "POST /raw HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-User: alice\r\n"
              + ("Content-Length: " + body.length() + "\r\n" + headers + "\r\n" + body);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }

  private final class Application extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient App app;

    Application(App app) {
      this.app = app;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      calls.incrementAndGet();
      app.handle(request, response);
    }
  }

  private static final class Authentication extends HttpFilter {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doFilter(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      String user = request.getHeader("X-User");
      Principal principal = user == null ? null : () -> user;
      chain.doFilter(
          new HttpServletRequestWrapper(request) {
            @Override
            public Principal getUserPrincipal() {
              return principal;
            }
          },
          response);
    }
  }
}
