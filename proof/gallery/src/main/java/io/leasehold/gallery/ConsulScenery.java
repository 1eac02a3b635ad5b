package io.leasehold.gallery;

import io.leasehold.gallery.wild.Consul;
import io.leasehold.servers.ServerProcess;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Consul in a play. */
final class ConsulScenery {
  private static final AtomicInteger KEYS = new AtomicInteger();
  private static final Pattern ID = Pattern.compile("\"ID\":\\s*\"([^\"]+)\"");
  private static final Pattern INDEX = Pattern.compile("\"applied_index\":\\s*\"(\\d+)\"");

  private final Stage stage;
  private final int port;
  private final Map<String, String> sessions = new ConcurrentHashMap<>();

  /** A lock-delay outlives its key, so each play has another key. */
  private final String key = "invoice-" + KEYS.incrementAndGet();

  ConsulScenery(Stage stage, ServerProcess server) {
    this.stage = stage;
    this.port = server.port();
  }

  String key() {
    return key;
  }

  /** The API for this client, recorded; sessions are named after clients. */
  Consul connect(Client client) {
    return (path, body) -> {
      String answer = ConsulHttp.put(port, path, body);
      Matcher id = ID.matcher(answer);
      if (id.find()) {
        sessions.put(id.group(1), "session-" + client.name());
      }
      String request = "PUT " + path + (body.isEmpty() ? "" : " " + body);
      client.says(named(request + " → " + answer));
      return answer;
    };
  }

  private String named(String text) {
    String named = text.replace(key, "invoice").replace("\n", "").replaceAll(" {2,}", "");
    for (Map.Entry<String, String> session : sessions.entrySet()) {
      named = named.replace(session.getKey(), session.getValue());
    }
    return named;
  }

  /** How many entries the servers have agreed on so far. */
  long raftIndex() throws IOException {
    Matcher index = INDEX.matcher(ConsulHttp.get(port, "/v1/agent/self"));
    if (!index.find()) {
      throw new IllegalStateException("Consul does not tell its raft index");
    }
    return Long.parseLong(index.group(1));
  }

  /** Ends the session of a client, as a failed health check of its node does. */
  void invalidate(Client client) throws IOException {
    for (Map.Entry<String, String> session : sessions.entrySet()) {
      if (session.getValue().equals("session-" + client.name())) {
        ConsulHttp.put(port, "/v1/session/destroy/" + session.getKey(), "");
      }
    }
    stage.world("the session of " + client.name() + " is invalidated");
  }

  /** Whether some session has the key. */
  boolean isHeld() throws IOException {
    return ConsulHttp.get(port, "/v1/kv/" + key).contains("\"Session\"");
  }

  /** Shows the session of the key as what the data looks like after. */
  void shows() throws IOException {
    Matcher session =
        Pattern.compile("\"Session\":\\s*\"([^\"]+)\"")
            .matcher(ConsulHttp.get(port, "/v1/kv/" + key));
    stage.data("GET /v1/kv/invoice");
    stage.data("Session: " + (session.find() ? named(session.group(1)) : "none"));
  }
}
