package io.leasehold.examples;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.OneTimeTokens;
import io.leasehold.idempotency.TokenRefusedException;
import io.leasehold.idempotency.client.RetryInterceptor;
import io.leasehold.idempotency.servlet.IdempotencyFilter;
import io.leasehold.idempotency.servlet.OneTimeForm;
import io.leasehold.idempotency.spi.IdempotencyStore;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A shop whose orders are booked once, however often the browser or the client sends them: pages at
 * {@code /}, and {@code POST /api/orders} with an {@code Idempotency-Key}. As a program: {@code
 * Shop PORT STORE-URL}, for example {@code Shop 8080 file:/tmp/shop.db}.
 */
public final class Shop implements AutoCloseable {
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);

  /**
   * Starts it on 127.0.0.1.
   *
   * @param port 0 for a free one
   * @param secret at least 32 random bytes, the same on all hosts
   * @param book books an item, and yields the number of the order
   */
  public Shop(
      int port,
      Idempotency idempotency,
      IdempotencyStore store,
      byte[] secret,
      UnaryOperator<String> book)
      throws Exception {
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    server.addConnector(connector);
    OneTimeTokens tokens = OneTimeTokens.on(store, List.of(secret));
    OneTimeForm form = OneTimeForm.of(tokens, idempotency, "order", Duration.ofHours(1));
    ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS);
    context.addServlet(new ServletHolder(new Pages(form, book)), "/*");
    context.addServlet(new ServletHolder(new Api(book)), "/api/orders");
    addFilter(context, idempotency);
    server.setHandler(context);
    server.start();
  }

  /** Behind a gateway that authenticates its callers, and says in a header who they are. */
  private static void addFilter(ServletContextHandler context, Idempotency idempotency) {
    IdempotencyFilter filter =
        IdempotencyFilter.builder(idempotency)
            .requireKey(request -> true)
            .principal(request -> request.getHeader("X-Api-Client"))
            .build();
    context.addFilter(new FilterHolder(filter), "/api/*", EnumSet.of(DispatcherType.REQUEST));
  }

  /** Where it listens. */
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }

  /** Orders once, though the network may fail. */
  static HttpResponse<String> order(HttpClient client, URI shop, String item)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(shop.resolve("/api/orders"))
            .header("X-Api-Client", "warehouse")
            .timeout(Duration.ofSeconds(10))
            .POST(BodyPublishers.ofString(item))
            .build();
    RetryInterceptor retry = RetryInterceptor.builder().attempts(4).build();
    return retry.intercept(request, next -> client.send(next, BodyHandlers.ofString()));
  }

  /** The API, behind the filter: it knows nothing of keys. */
  private static final class Api extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient UnaryOperator<String> book;

    Api(UnaryOperator<String> book) {
      this.book = book;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      String number = book.apply(request.getReader().readLine());
      response.setStatus(HttpServletResponse.SC_CREATED);
      response.setHeader("Location", "/orders/" + number);
      response.setContentType("text/plain");
      response.getWriter().print(number);
    }
  }

  /** The pages: the form at /, its submission at POST /orders, an order at /orders/NUMBER. */
  private static final class Pages extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final String TOKEN = "token of the cart";

    private final transient OneTimeForm form;
    private final transient UnaryOperator<String> book;

    Pages(OneTimeForm form, UnaryOperator<String> book) {
      this.form = form;
      this.book = book;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      String path = request.getRequestURI();
      if (path.equals("/")) {
        showForm(request, response);
      } else if (path.equals("/once.js")) {
        response.setContentType("text/javascript");
        response.getWriter().print(OneTimeForm.script());
      } else if (path.matches("/orders/\\d+")) {
        show(response, "Order " + path.substring("/orders/".length()), "<a href=/>Order more</a>");
      } else {
        response.sendError(HttpServletResponse.SC_NOT_FOUND);
      }
    }

    /** The token is the cart's: a form that is open in two tabs has one. */
    private void showForm(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      HttpSession session = request.getSession();
      String token = (String) session.getAttribute(TOKEN);
      if (token == null) {
        token = form.issue(scope(session));
        session.setAttribute(TOKEN, token);
      }
      // The browser keeps the page for the back button, and asks again for every other visit
      response.setHeader("Cache-Control", "private, no-cache");
      show(
          response,
          "Cart",
          "<form method=post action=/orders>"
              + form.hiddenField(token)
              + "<input name=item value=book><button>Order</button></form>");
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      HttpSession session = request.getSession();
      String item = request.getParameter("item");
      try {
        form.submit(request, response, scope(session), claim -> "/orders/" + book.apply(item));
      } catch (TokenRefusedException e) {
        response.setStatus(HttpServletResponse.SC_CONFLICT);
        show(response, "Please order again", "<a href=/>To the cart</a>");
      }
      session.removeAttribute(TOKEN);
    }

    private static String scope(HttpSession session) {
      return "order:" + session.getId();
    }

    private static void show(HttpServletResponse response, String title, String body)
        throws IOException {
      response.setContentType("text/html;charset=utf-8");
      response
          .getWriter()
          .print(
              "<!doctype html><title>"
                  + title
                  + "</title><script src=/once.js></script><h1>"
                  + title
                  + "</h1>"
                  + body);
    }
  }

  /** Runs it until it is killed. */
  public static void main(String[] arguments) throws Exception {
    AtomicInteger orders = new AtomicInteger();
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret); // of this process alone: tokens end with it
    try (IdempotencyStore store = IdempotencyStores.open(arguments[1]);
        Idempotency idempotency = Idempotency.builder(store).build();
        Shop shop =
            new Shop(
                Integer.parseInt(arguments[0]),
                idempotency,
                store,
                secret,
                item -> Integer.toString(orders.incrementAndGet()))) {
      System.out.println("http://127.0.0.1:" + shop.port() + "/");
      shop.server.join();
    }
  }
}
