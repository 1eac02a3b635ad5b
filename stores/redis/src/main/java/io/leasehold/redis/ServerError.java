package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/** An error that the server answered. Its first word says which. */
record ServerError(String message) {
  /** How an older server wraps what a script ran into. */
  private static final Pattern IN_SCRIPT = Pattern.compile("Error running script.* -?([A-Z]+) ");

  private static final Map<String, String> PASSING =
      Map.ofEntries(
          Map.entry("LOADING", "it is loading its data"),
          Map.entry("BUSY", "a script of another client keeps it busy"),
          Map.entry("READONLY", "it is a read-only replica; connect to the primary"),
          Map.entry("MASTERDOWN", "it is a replica without its primary"),
          Map.entry("NOREPLICAS", "it has fewer replicas than it wants before it writes"),
          Map.entry("MISCONF", "it cannot write to its disk"),
          Map.entry("OOM", "its memory is full (maxmemory)"),
          Map.entry("UNBLOCKED", "it changed its role"),
          Map.entry("TRYAGAIN", "a part of it is being moved"),
          Map.entry("ASK", "a part of it is being moved"),
          Map.entry("CLUSTERDOWN", "its cluster is down"));

  /** What the user may not run, where the server says it. */
  private static final Pattern DENIED = Pattern.compile("run the '([^']+)' command");

  /** Of Redis 7.0, for a command that a script calls. */
  private static final String DENIED_IN_SCRIPT = "ERR The user executing the script can't";

  private static final String IN_CLUSTER = "it is a node of a cluster; write redis+cluster://";

  private static final Map<String, String> LASTING =
      Map.ofEntries(
          Map.entry("NOAUTH", "it wants a password; give one in the URL or the environment"),
          Map.entry("WRONGPASS", "it does not know this user and password"),
          Map.entry("WRONGTYPE", "a key of a lock holds something else; choose another prefix"),
          Map.entry("LEASEHOLD", "a key of a lock holds something else; choose another prefix"),
          Map.entry("MOVED", IN_CLUSTER),
          Map.entry("CROSSSLOT", IN_CLUSTER));

  /** Why a node of a cluster refused several keys: it serves them one by one. */
  static final class KeysApart extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeysApart() {
      super("the keys are on two nodes", null, false, false);
    }
  }

  String code() {
    if (message.startsWith(DENIED_IN_SCRIPT) || message.startsWith("ERR ACL failure in script")) {
      // What a script runs; the second is of Redis 8.0 and Valkey 9
      return "NOPERM";
    }
    Matcher inScript = IN_SCRIPT.matcher(message);
    if (inScript.find()) {
      return String.valueOf(inScript.group(1));
    }
    int blank = message.indexOf(' ');
    return blank < 0 ? message : message.substring(0, blank);
  }

  /** Whether it says that another node of the cluster serves the keys; then nothing was done. */
  boolean isOfAnotherNode() {
    String code = code();
    return code.equals("MOVED") || code.equals("ASK");
  }

  /** Whether it says that for good, as in {@code MOVED 3999 127.0.0.1:6381}. */
  boolean isMoved() {
    return code().equals("MOVED");
  }

  /** The slot of which another node has said that. */
  int slot() {
    return Integer.parseInt(word(1));
  }

  /** Which one that is; without a host it is that of the node that was asked. */
  HostAndPort otherNode() {
    return HostAndPort.from(word(2));
  }

  private String word(int index) {
    return message.split(" ", -1)[index];
  }

  /** Whether it comes from a replica, which cannot lock. */
  boolean isOfReplica() {
    String code = code();
    return code.equals("READONLY") || code.equals("MASTERDOWN");
  }

  /** As what a verb throws. */
  StoreException asException(String server, @Nullable String name) {
    String code = code();
    String where = server + " refused" + (name == null ? "" : " for lock '" + name + "'") + ": ";
    String passing = PASSING.get(code);
    if (passing != null) {
      return new StoreException(
          Failure.UNAVAILABLE, where + passing, code.equals("TRYAGAIN") ? new KeysApart() : null);
    }
    if (message.contains("max number of clients")) {
      return new StoreException(Failure.UNAVAILABLE, where + "it has too many clients", null);
    }
    if (message.contains("Script killed")) {
      // It had written nothing, or it could not have been.
      return new StoreException(Failure.UNAVAILABLE, where + "the script was killed", null);
    }
    String lasting = code.equals("NOPERM") ? denied() : LASTING.get(code);
    return new StoreException(
        Failure.REFUSED, where + (lasting == null ? message : lasting + " (" + code + ")"), null);
  }

  private String denied() {
    Matcher command = DENIED.matcher(message);
    String what;
    if (command.find()) {
      what = "the permission to run '" + command.group(1) + "'";
    } else if (message.startsWith(DENIED_IN_SCRIPT)) {
      what = "a permission for what a script runs, which ACL LOG names";
    } else if (message.contains("channel")) {
      what = "the permission for the channels of the prefix";
    } else if (message.contains("key")) {
      what = "the permission for the keys of the prefix";
    } else {
      what = "a permission";
    }
    return "the user lacks " + what + "; docs/stores/redis.md lists all that it needs";
  }
}
