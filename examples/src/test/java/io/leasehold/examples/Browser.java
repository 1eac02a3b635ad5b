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
import java.util.ArrayList;
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
    Path program = Programs.server("chromium").toRealPath();
    Path fetched = program.resolve("../../lib/chromium/chromium").normalize();
    boolean isFetched = Files.exists(fetched.resolveSibling("chromium.elf"));
    Path fonts = Files.writeString(folder.resolve("fonts.conf"), fonts(program));
    ServerProcess driver =
        ServerProcess.start(
            Files.createDirectory(folder.resolve("driver")),
            (port, data) -> {
              ProcessBuilder builder = new ProcessBuilder(program.toString(), "--port=" + port);
              Map<String, String> environment = builder.environment();
              for (String each : List.of("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")) {
                environment.put(each, data.toString());
              }
              if (isFetched) {
                environment.put("FONTCONFIG_FILE", fonts.toString());
              }
              return builder;
            },
            Browser::isReady);
    try {
      return new Browser(driver, isFetched ? fetched : null);
    } catch (RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /** Those of its packages; without any it shows nothing. */
  private static String fonts(Path program) {
    Path share = program.resolve("../../share/fonts").normalize();
    return "<fontconfig><dir>" + share + "</dir><dir>/usr/share/fonts</dir></fontconfig>";
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

  /** Of the Chromium that was fetched, or else (null) of the one that the driver finds. */
  private Browser(ServerProcess driver, Path fetched) {
    this.driver = driver;
    // The sandbox is not for root, and the pages are ours
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--headless=new",
                "--no-sandbox",
                "--no-zygote",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--no-proxy-server",
                "--user-data-dir=" + driver.data().resolve("profile")));
    Map<String, Object> options = new HashMap<>();
    if (fetched != null) {
      // Its launcher starts its children too: the kernel would tell it that it is its loader
      arguments.add("--browser-subprocess-path=" + fetched);
      options.put("binary", fetched.toString());
    }
    options.put("args", arguments.toArray());
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
