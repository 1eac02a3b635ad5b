package io.leasehold.zookeeper;

import io.leasehold.LockMode;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.LockNames;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the nodes of names and entries are called. An entry ends in the number of the server. */
enum Layout {
  /** Ours: a name is escaped, and an entry has the label of every such store. */
  OWN("((?:[xs]|p\\d{1,9}\\.\\d{1,9})-[0-9a-f]{32})-(-?\\d{9,10})"),

  /** That of Curator's {@code InterProcessMutex}. */
  CURATOR_MUTEX("(.*)lock-(-?\\d{9,10})"),

  /** That of Curator's {@code InterProcessReadWriteLock}. */
  CURATOR_READWRITE("(.*__(?:READ|WRIT)__)(-?\\d{9,10})");

  private static final String READ = "__READ__";

  /** What Curator puts before the name of a node that it must find again: ours has the lease id. */
  private static final Pattern PROTECTED = Pattern.compile("_c_([0-9a-f-]{36})-.*");

  private final Pattern child;

  Layout(String child) {
    this.child = Pattern.compile(child);
  }

  /**
   * The layout of this URL; ours without one.
   *
   * @throws IllegalArgumentException if there is no such layout
   */
  static Layout of(StoreUrl url) {
    String chosen =
        url.choice("layout", List.of(CURATOR_MUTEX.toString(), CURATOR_READWRITE.toString()))
            .orElse(OWN.toString());
    return valueOf(chosen.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** As a URL has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Set<LockMode> modes() {
    return switch (this) {
      case OWN -> EnumSet.allOf(LockMode.class);
      case CURATOR_MUTEX -> EnumSet.of(LockMode.EXCLUSIVE);
      case CURATOR_READWRITE -> EnumSet.of(LockMode.EXCLUSIVE, LockMode.SHARED);
    };
  }

  /** The node of a name, with a slash before it. */
  String node(String name) {
    if (this != OWN) {
      return name.startsWith("/") ? name : "/" + name;
    }
    return "/" + LockNames.encoded(name);
  }

  /** What the node of an entry begins with; the number follows. */
  String beginning(Ticket ticket) {
    if (this == OWN) {
      return Entry.label(ticket) + "-";
    }
    String kind =
        this == CURATOR_MUTEX ? "lock-" : ticket.mode() == LockMode.SHARED ? READ : "__WRIT__";
    String uuid =
        ticket.id().toString().replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
    return "_c_" + uuid + "-" + kind;
  }

  /**
   * A child of the node of a name.
   *
   * @param number what the server has appended
   */
  record Child(int number, Entry entry) {}

  /** Whether the node at this path is an entry of this layout. */
  boolean isEntry(String path) {
    return child.matcher(path.substring(path.lastIndexOf('/') + 1)).matches();
  }

  /** Empty if it is no entry of this layout. */
  Optional<Child> child(String name, String path, String node) {
    Matcher parts = child.matcher(node);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int number = (int) Long.parseLong(parts.group(2));
    if (this == OWN) {
      return Optional.of(new Child(number, Entry.of(name, path, parts.group(1), 0, Details.NONE)));
    }
    Matcher known = PROTECTED.matcher(node);
    String digits = known.matches() ? known.group(1).replace("-", "") : "";
    LeaseId id = digits.length() == 32 ? LeaseId.parse(digits) : new LeaseId(0, number);
    LockMode mode = parts.group(1).endsWith(READ) ? LockMode.SHARED : LockMode.EXCLUSIVE;
    return Optional.of(new Child(number, new Entry(name, path, id, mode, 1, 1, 0, Details.NONE)));
  }
}
