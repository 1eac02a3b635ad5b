package io.leasehold.gallery.wild;

import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** A node is the lock; it stays until a client deletes it. */
public final class PersistentNode implements WildLock {
  private final ZooKeeper zooKeeper;
  private final String path;
  private final String owner;

  public PersistentNode(ZooKeeper zooKeeper, String path, String owner) {
    this.zooKeeper = zooKeeper;
    this.path = path;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() throws KeeperException, InterruptedException {
    try {
      byte[] data = owner.getBytes(StandardCharsets.UTF_8);
      zooKeeper.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      return true;
    } catch (NodeExistsException isHeld) {
      return false;
    }
  }

  @Override
  public void unlock() throws KeeperException, InterruptedException {
    zooKeeper.delete(path, -1);
  }
}
