package io.leasehold.zookeeper;

import io.leasehold.sessions.Entry;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.LockNames;
import io.leasehold.zookeeper.Layout.Child;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.common.PathUtils;

/**
 * The nodes: under the root one for each lock name, under that one for each entry, which ends in
 * the number that the server appends. One for each session, which stands elsewhere.
 *
 * @param chroot what all of them are below; empty for nothing
 * @param root the path of the root; empty for that of the server
 * @param sessions the path below which the sessions are
 */
record Tree(String chroot, String root, String sessions, Layout layout) {
  private static final String PREFIX = "/leasehold";

  /**
   * Checks the paths, of which none may be only a slash.
   *
   * @param prefix what the names are below; empty for what the layout has without one
   */
  static Tree of(String chroot, Optional<String> prefix, Layout layout) {
    String below = prefix.orElse(layout == Layout.OWN ? PREFIX : "");
    PathUtils.validatePath(chroot + below + "/.sessions");
    if ((prefix.isPresent() && below.length() < 2) || chroot.equals("/")) {
      throw new IllegalArgumentException("a path of nodes has a name after the slash");
    }
    String own = layout == Layout.OWN ? below : PREFIX;
    return new Tree(chroot, chroot + below, chroot + own + "/.sessions", layout);
  }

  String session(long id) {
    return sessions + "/" + Long.toHexString(id);
  }

  String name(String name) {
    return root + layout.node(name);
  }

  /** The node at this path below the root. */
  String below(String path) {
    String node = root + path;
    return node.isEmpty() ? "/" : node;
  }

  static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  /** Why no lock can have this name; empty if one can. */
  Optional<String> refusal(String name) {
    if (layout == Layout.OWN) {
      return Optional.empty();
    }
    try {
      PathUtils.validatePath(name(name) + "/x");
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "with layout=" + layout + " a lock name is the path of a node: " + e.getMessage());
    }
  }

  /** The lock names of the nodes under the root. */
  static List<String> names(List<String> nodes) {
    return nodes.stream()
        .filter(node -> node.matches("([\\w*-]|%[0-9A-F]{2})([\\w.*-]|%[0-9A-F]{2})*"))
        .map(LockNames::decoded)
        .toList();
  }

  /** The path of a ticket's entry but for its number. */
  String entry(Ticket ticket) {
    return name(ticket.name()) + "/" + layout.beginning(ticket);
  }

  /** The nodes that a node is below, from the top. */
  static List<String> parents(String node) {
    List<String> parents = new ArrayList<>();
    for (int slash = node.indexOf('/', 1); slash > 0; slash = node.indexOf('/', slash + 1)) {
      parents.add(node.substring(0, slash));
    }
    return parents;
  }

  /** The entries among the children of a name, in their order. */
  List<Entry> entries(String name, List<String> children) {
    List<Child> found = new ArrayList<>();
    String folder = name(name) + "/";
    for (String child : children) {
      layout.child(name, folder + child, child).ifPresent(found::add);
    }
    // By the difference: the server's counter of 32 bits wraps around
    found.sort(Comparator.comparing(Child::number, (a, b) -> Integer.compare(a - b, 0)));
    return found.stream().map(Child::entry).toList();
  }

  static byte[] bytes(String data) {
    return data.getBytes(StandardCharsets.UTF_8);
  }
}
