package io.leasehold.gallery.wild;

import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** A node that goes with its session; whether the session still is, it does not ask. */
public final class EphemeralNode implements WildLock {
  private final ZooKeeper zooKeeper;
  private final String path;
  private final String owner;

  public EphemeralNode(ZooKeeper zooKeeper, String path, String owner) {
    this.zooKeeper = zooKeeper;
    this.path = path;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() throws KeeperException, InterruptedException {
    try {
      byte[] data = owner.getBytes(StandardCharsets.UTF_8);
      zooKeeper.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
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
