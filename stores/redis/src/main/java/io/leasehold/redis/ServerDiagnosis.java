package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.redis.Command.Name;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the server says of itself that could break a promise. */
final class ServerDiagnosis {
  static final List<Command> QUESTIONS =
      List.of(Command.of(Name.INFO), Command.of(Name.CONFIG, "GET", "save"));

  private final Map<String, String> info;
  private final List<Finding> findings = new ArrayList<>();

  private ServerDiagnosis(Map<String, String> info) {
    this.info = info;
  }

  /**
   * Reads the answers to the questions.
   *
   * @param answers many may ask neither
   */
  static List<Finding> of(List<Object> answers) {
    Object info = answers.get(0);
    Object save = answers.get(1);
    if (!(info instanceof byte[] text)) {
      return List.of(
          new Finding(
              Level.WARNING,
              "server",
              "INFO is not permitted, so persistence, eviction and replicas are not known"));
    }
    ServerDiagnosis diagnosis = new ServerDiagnosis(fields(Command.text(text)));
    diagnosis.server();
    diagnosis.role();
    diagnosis.eviction();
    diagnosis.persistence(save);
    return List.copyOf(diagnosis.findings);
  }

  private static Map<String, String> fields(String info) {
    Map<String, String> fields = new HashMap<>();
    for (String line : info.split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return fields;
  }

  private String field(String name) {
    return info.getOrDefault(name, "");
  }

  private void add(Level level, String check, String detail) {
    findings.add(new Finding(level, check, detail));
  }

  private void server() {
    String valkey = field("valkey_version");
    String version = valkey.isEmpty() ? "Redis " + field("redis_version") : "Valkey " + valkey;
    if (field("cluster_enabled").equals("1")) {
      add(Level.ERROR, "server", version + " as a node of a cluster, which is not supported");
    } else {
      add(Level.OK, "server", version);
    }
  }

  private void role() {
    if (field("role").equals("slave")) {
      add(
          Level.ERROR,
          "role",
          "this is a replica, which cannot lock; connect to its primary at "
              + field("master_host")
              + ":"
              + field("master_port"));
      return;
    }
    String replicas = field("connected_slaves");
    if (replicas.isEmpty() || replicas.equals("0")) {
      add(Level.OK, "replicas", "none: locks live as long as this server");
    } else {
      add(
          Level.WARNING,
          "replicas",
          replicas
              + ": a failover may forget a lock that was granted just before; let the data refuse"
              + " lower fencing tokens");
    }
  }

  private void eviction() {
    String policy = field("maxmemory_policy");
    if (policy.startsWith("allkeys") || policy.startsWith("volatile")) {
      add(
          field("maxmemory").equals("0") ? Level.OK : Level.WARNING,
          "eviction",
          field("maxmemory").equals("0")
              ? policy + ", but maxmemory is not limited"
              : policy
                  + " with maxmemory "
                  + field("maxmemory_human")
                  + " may drop held locks; set maxmemory-policy noeviction, or use another server");
    } else {
      add(Level.OK, "eviction", policy.isEmpty() ? "not known" : policy);
    }
  }

  private void persistence(@Nullable Object save) {
    if (field("aof_enabled").equals("1")) {
      add(Level.OK, "persistence", "append-only file");
    } else if (save instanceof List<?> pair
        && pair.size() == 2
        && pair.get(1) instanceof byte[] v) {
      String points = Command.text(v);
      add(
          Level.WARNING,
          "persistence",
          points.isEmpty()
              ? "none: a restart forgets all locks while their holders go on; set appendonly yes"
              : "snapshots only ("
                  + points
                  + "): a restart forgets the locks since the last; set appendonly yes");
    } else {
      add(
          Level.WARNING,
          "persistence",
          "no append-only file: a restart forgets locks while their holders go on");
    }
  }
}
