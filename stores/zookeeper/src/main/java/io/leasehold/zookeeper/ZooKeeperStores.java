package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreFactory;
import io.leasehold.zookeeper.Connection.Handle;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/**
 * Opens stores over a Curator client of the application, with its servers, security and session.
 *
 * <pre>{@code
 * LockClient locks =
 *     Leasehold.builder(ZooKeeperStores.using(curator, "/locks")).ttl(sessionTimeout).build();
 * }</pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class ZooKeeperStores {
  private ZooKeeperStores() {}

  /**
   * As {@link #using(CuratorFramework, String, ACLProvider)}, with nodes that every client of the
   * servers may read and change.
   */
  public static StoreFactory using(CuratorFramework client, String prefix) {
    return store(client, prefix, path -> Ids.OPEN_ACL_UNSAFE);
  }

  /**
   * A store in the session of this client, which must be started. It serves only the ttl that is
   * the timeout of that session, and never closes the client. Its first lock may take two seconds
   * longer, in which it finds out how long the session lives.
   *
   * @param prefix the node below which the locks are, in the namespace of the client, as in {@code
   *     /locks}
   * @param acls the access to each node that the store makes
   * @throws IllegalArgumentException if the prefix is not the path of a node
   */
  public static StoreFactory using(CuratorFramework client, String prefix, ACLProvider acls) {
    return store(client, prefix, acls::getAclForPath);
  }

  private static StoreFactory store(
      CuratorFramework client, String prefix, Function<String, List<ACL>> acls) {
    String namespace = client.getNamespace();
    Tree tree =
        Tree.of(namespace.isEmpty() ? "" : "/" + namespace, Optional.of(prefix), Layout.OWN);
    return ZooKeeperEntries.factory(
        new Connection.Setting(
            "ZooKeeper", true, (ttl, watcher) -> handle(client, watcher), tree, acls));
  }

  private static Handle handle(CuratorFramework client, Watcher watcher) {
    CuratorListener listener =
        (curator, event) -> {
          WatchedEvent seen = event.getWatchedEvent();
          if (seen != null) {
            watcher.process(seen);
          }
        };
    try {
      ZooKeeper zk = client.getZookeeperClient().getZooKeeper();
      client.getCuratorListenable().addListener(listener);
      return new Handle(zk, () -> {}, () -> client.getCuratorListenable().removeListener(listener));
    } catch (Exception e) {
      throw new StoreException(
          Failure.UNAVAILABLE, "the Curator client is not started, or has no connection", e);
    }
  }
}
