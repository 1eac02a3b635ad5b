package io.leasehold.examples;

import io.leasehold.servers.Programs;
import io.leasehold.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.ajax.JSON;

/**
 * A headless Chromium, driven by WebDriver. It waits for no page: a command returns when the
 * browser has taken it, so that a test can go on while an answer is awaited.
 */
final class Browser implements AutoCloseable {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ServerProcess driver;
  private final String session;

  /** Starts it; the test is aborted if it cannot be had, as {@link Programs#server} says. */
  static Browser start(Path folder) throws IOException {
    Path chromium = Programs.server("chromium");
    Path fonts = Files.writeString(folder.resolve("fonts.conf"), fonts(chromium.toRealPath()));
    ServerProcess driver =
        ServerProcess.start(
            Files.createDirectory(folder.resolve("driver")),
            (port, data) -> {
              ProcessBuilder builder =
                  new ProcessBuilder(
                      chromium.resolveSibling("chromedriver").toString(), "--port=" + port);
              Map<String, String> environment = builder.environment();
              environment.put("HOME", data.toString());
              environment.put("XDG_CONFIG_HOME", data.toString());
              environment.put("XDG_CACHE_HOME", data.toString());
              environment.put("TMPDIR", data.toString());
              environment.put("FONTCONFIG_FILE", fonts.toString());
              return builder;
            },
            Browser::isReady);
    try {
      return new Browser(driver, chromium);
    } catch (RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /** Those of its packages; without any it shows nothing. */
  private static String fonts(Path chromium) {
    Path usr = chromium.getParent().getParent().getParent();
    return "<fontconfig><dir>"
        + usr.resolve("share/fonts")
        + "</dir><dir>/usr/share/fonts</dir>"
        + "</fontconfig>";
  }

  private static boolean isReady(int port) throws IOException {
    try {
      HttpRequest status =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/status"))
              .timeout(Duration.ofSeconds(5))
              .build();
      return HttpClient.newHttpClient().send(status, BodyHandlers.discarding()).statusCode() == 200;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Browser(ServerProcess driver, Path chromium) {
    this.driver = driver;
    // It starts its children by its launcher, for the kernel says that it is the loader. Its
    // sandbox is not for root; the pages are ours
    Map<String, Object> options =
        Map.of(
            "binary",
            chromium.toString(),
            "args",
            List.of(
                    "--headless=new",
                    "--no-sandbox",
                    "--no-zygote",
                    "--browser-subprocess-path=" + chromium,
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--disable-background-networking",
                    "--no-proxy-server",
                    "--user-data-dir=" + driver.data().resolve("profile"))
                .toArray());
    Map<String, Object> always = Map.of("pageLoadStrategy", "none", "goog:chromeOptions", options);
    Map<?, ?> made =
        (Map<?, ?>) ask("POST", "", Map.of("capabilities", Map.of("alwaysMatch", always)));
    session = "/" + made.get("sessionId");
  }

  private Object ask(String method, String path, Map<String, Object> body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + driver.port() + "/session" + path))
            .timeout(Duration.ofMinutes(1))
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(new JSON().toJSON(body)))
            .build();
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(method + " " + path + ": " + response.body());
      }
      return ((Map<?, ?>) new JSON().fromJSON(response.body())).get("value");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Object ask(String path, Map<String, Object> body) {
    return ask("POST", session + path, body);
  }

  void open(String url) {
    ask("/url", Map.of("url", url));
  }

  void back() {
    ask("/back", Map.of());
  }

  void reload() {
    ask("/refresh", Map.of());
  }

  String title() {
    return String.valueOf(ask("GET", session + "/title", null));
  }

  String url() {
    return String.valueOf(ask("GET", session + "/url", null));
  }

  /** What a script yields. */
  Object run(String script) {
    return ask("/execute/sync", Map.of("script", script, "args", new Object[0]));
  }

  /** Presses and releases the button of the mouse, so often, over an element. */
  void click(String css, int times) {
    Map<?, ?> element = (Map<?, ?>) ask("/element", Map.of("using", "css selector", "value", css));
    Map<String, Object> move = new HashMap<>();
    move.put("type", "pointerMove");
    move.put("duration", 0);
    move.put("origin", element);
    move.put("x", 0);
    move.put("y", 0);
    Object[] actions = new Object[1 + 2 * times];
    actions[0] = move;
    for (int i = 0; i < times; i++) {
      actions[1 + 2 * i] = Map.of("type", "pointerDown", "button", 0);
      actions[2 + 2 * i] = Map.of("type", "pointerUp", "button", 0);
    }
    Map<String, Object> mouse = Map.of("type", "pointer", "id", "mouse", "actions", actions);
    ask("/actions", Map.of("actions", new Object[] {mouse}));
  }

  /** Opens a tab and goes there; its name. */
  String newTab() {
    Map<?, ?> tab = (Map<?, ?>) ask("/window/new", Map.of("type", "tab"));
    String name = String.valueOf(tab.get("handle"));
    switchTo(name);
    return name;
  }

  String tab() {
    return String.valueOf(ask("GET", session + "/window", null));
  }

  void switchTo(String tab) {
    ask("/window", Map.of("handle", tab));
  }

  @Override
  public void close() {
    try {
      ask("DELETE", session, null);
    } finally {
      driver.close();
    }
  }
}
