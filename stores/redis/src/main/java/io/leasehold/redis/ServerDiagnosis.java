package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the server says of itself that could break a promise. */
final class ServerDiagnosis {
  private static final List<String> SETTINGS =
      List.of("save", "appendfsync", "timeout", "min-replicas-to-write", "maxmemory-clients");

  /** Below, a connection may end that the client trusts. */
  private static final int SHORTEST_TIMEOUT = 10;

  private final Map<String, String> info;

  /** Those that the server has, and that may be asked for. */
  private final Map<String, String> settings = new HashMap<>();

  /** Whether the server has CONFIG. */
  private final boolean configures;

  /** Whether it has the commands of Tair. */
  private final boolean compares;

  private final List<Finding> findings = new ArrayList<>();

  private ServerDiagnosis(Map<String, String> info, List<Object> answers) {
    this.info = info;
    for (int i = 0; i < SETTINGS.size(); i++) {
      String name = SETTINGS.get(i);
      value(answers.get(i)).ifPresent(value -> settings.put(name, value));
    }
    configures =
        !(answers.get(0) instanceof ServerError error && error.message().contains("unknown"));
    compares =
        answers.get(SETTINGS.size()) instanceof List<?> known
            && !known.isEmpty()
            && known.get(0) != null;
  }

  /**
   * What to ask.
   *
   * @param wakeUp a message as those that wake clients
   */
  static List<Command> questions(Command wakeUp) {
    List<Command> questions = new ArrayList<>(List.of(Command.of(Name.INFO)));
    // One setting each: older servers take no more
    SETTINGS.forEach(name -> questions.add(Command.of(Name.CONFIG, "GET", name)));
    questions.add(Command.of(Name.COMMAND, "INFO", "CAD"));
    questions.add(wakeUp);
    return List.copyOf(questions);
  }

  /** What CONFIG GET says of one setting: a pair, or a map where the client speaks RESP3. */
  static Optional<String> value(@Nullable Object answer) {
    if (answer instanceof List<?> list && !list.isEmpty()) {
      Object last = list.get(list.size() - 1);
      Object value = last instanceof Map.Entry<?, ?> entry ? entry.getValue() : last;
      return value instanceof byte[] text ? Optional.of(Command.text(text)) : Optional.empty();
    }
    return Optional.empty();
  }

  /**
   * Reads the answers to the questions.
   *
   * @param answers many may ask neither
   */
  static List<Finding> of(List<Object> answers) {
    Object info = answers.get(0);
    if (!(info instanceof byte[] text)) {
      return List.of(
          new Finding(
              Level.WARNING,
              "server",
              "INFO is not permitted, so persistence, eviction and replicas are not known"));
    }
    ServerDiagnosis diagnosis =
        new ServerDiagnosis(fields(Command.text(text)), answers.subList(1, answers.size()));
    diagnosis.server();
    diagnosis.role();
    diagnosis.eviction();
    diagnosis.persistence();
    diagnosis.clients();
    return List.copyOf(diagnosis.findings);
  }

  /** Reads the answer to the last question: whether the user may wake clients. */
  static List<Finding> ofWakeUp(Command wakeUp, List<Object> answers) {
    boolean denied =
        answers.get(answers.size() - 1) instanceof ServerError error
            && error.code().equals("NOPERM");
    if (!denied) {
      return List.of();
    }
    String what = wakeUp.name() + " on " + Command.text(wakeUp.arguments().get(0)) + "*";
    return List.of(
        new Finding(
            Level.WARNING,
            "wake-ups",
            what
                + " is not permitted: after this client releases a lock, the next one notices up to"
                + " a second late; give the user the permissions of docs/stores/redis.md"));
  }

  /** What INFO says. */
  static Map<String, String> fields(String info) {
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
    String other = product();
    String valkey = field("valkey_version");
    String version = valkey.isEmpty() ? "Redis " + field("redis_version") : "Valkey " + valkey;
    String silent =
        configures ? "" : "; it has no CONFIG, so appendfsync, timeout and more are not known";
    if (other.isEmpty()) {
      add(configures ? Level.OK : Level.WARNING, "server", version + silent);
    } else {
      add(
          Level.WARNING,
          "server",
          other
              + ", which calls itself "
              + version
              + ": Leasehold was not tested on it, see docs/stores/redis.md"
              + silent);
    }
  }

  /** What speaks the protocol, and is neither Redis nor Valkey; empty if it does not say. */
  private String product() {
    if (!field("dragonfly_version").isEmpty()) {
      return "Dragonfly " + field("dragonfly_version");
    }
    if (isKeyDb(info)) {
      return "KeyDB";
    }
    if (field("os").startsWith("Amazon ")) {
      return field("os");
    }
    return compares ? "Tair" : "";
  }

  private static boolean isKeyDb(Map<String, String> info) {
    return info.containsKey("mvcc_depth")
        || info.getOrDefault("executable", "").endsWith("keydb-server");
  }

  /**
   * Refuses a server of several that all accept writes, and so all grant a lock.
   *
   * @param answers to the questions
   * @throws StoreException if it is one
   */
  static void requireOnePrimary(String server, List<Object> answers) {
    if (answers.get(0) instanceof byte[] text
        && fields(Command.text(text)).getOrDefault("role", "").equals("active-replica")) {
      throw new StoreException(
          Failure.REFUSED,
          server
              + " is KeyDB with active-replica: each of its servers accepts writes, so two of them"
              + " would grant one lock; set active-replica no, or lock on another server",
          null);
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
              + " lower fencing tokens"
              + (settings.getOrDefault("min-replicas-to-write", "").equals("0")
                  ? "; min-replicas-to-write 0: a primary that is cut off goes on granting"
                  : ""));
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

  private void persistence() {
    if (field("aof_enabled").equals("1")) {
      appendOnly(settings.getOrDefault("appendfsync", "not known"));
      return;
    }
    String points = settings.get("save");
    String what =
        points == null
            ? "no append-only file: a restart forgets locks while their holders go on"
            : points.isEmpty()
                ? "none: a restart forgets all locks while their holders go on; set appendonly yes"
                : "snapshots only ("
                    + points
                    + "): a restart forgets the locks since the last; set appendonly yes";
    add(Level.WARNING, "persistence", what);
  }

  private void appendOnly(String appendfsync) {
    if (appendfsync.equals("always")) {
      add(Level.OK, "persistence", "append-only file, written before each answer");
    } else {
      add(
          Level.WARNING,
          "persistence",
          "append-only file with appendfsync "
              + appendfsync
              + ": a crash of the machine may forget the locks since it was last written; set"
              + " appendfsync always");
    }
  }

  private void clients() {
    int timeout = Integer.parseInt(settings.getOrDefault("timeout", "0"));
    if (timeout > 0 && timeout < SHORTEST_TIMEOUT) {
      add(
          Level.WARNING,
          "timeout",
          "timeout "
              + timeout
              + " ends connections that a client still trusts; set it to 0, or to "
              + SHORTEST_TIMEOUT
              + " at least");
    }
    String most = settings.getOrDefault("maxmemory-clients", "0");
    if (!most.equals("0")) {
      add(
          Level.WARNING,
          "clients",
          "maxmemory-clients "
              + most
              + " may end connections of a lock client when others take much memory; set it"
              + " to 0, or leave room");
    }
  }
}
