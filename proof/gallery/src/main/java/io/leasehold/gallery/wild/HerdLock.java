package io.leasehold.gallery.wild;

import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** One node for all: every waiter watches it, and tries again when it is gone. */
public final class HerdLock {
  private final ZooKeeper zooKeeper;
  private final String path;

  public HerdLock(ZooKeeper zooKeeper, String path) {
    this.zooKeeper = zooKeeper;
    this.path = path;
  }

  /** Waits for it. */
  public void lock() throws KeeperException, InterruptedException {
    while (true) {
      try {
        zooKeeper.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        return;
      } catch (NodeExistsException isHeld) {
        CountDownLatch gone = new CountDownLatch(1);
        if (zooKeeper.exists(path, event -> gone.countDown()) != null) {
          gone.await();
        }
      }
    }
  }

  /** Lets it go. */
  public void unlock() throws KeeperException, InterruptedException {
    zooKeeper.delete(path, -1);
  }
}
