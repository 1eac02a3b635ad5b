package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * The least that a lock can cost in ZooKeeper, by its own client: a node whose creation and list go
 * in one round trip, and a thread that takes the lock as soon as it is told that the node before
 * its own is gone, without a read. A lost connection or a node that ends elsewhere gives two
 * holders.
 */
final class BareZooKeeper implements Client {
  private static final byte[] NO_DATA = {};

  private final ZooKeeper zooKeeper;

  BareZooKeeper(String url, Duration ttl) {
    CountDownLatch connected = new CountDownLatch(1);
    try {
      zooKeeper =
          new ZooKeeper(
              url.replace("zookeeper://", ""),
              (int) ttl.toMillis(),
              event -> connected.countDown());
      connected.await();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Mutex mutex(String name) {
    return new Mutex() {
      private final String parent = "/" + name;
      private String own = "";

      @Override
      public void lock() {
        try {
          List<String> entries = enter();
          int before = entries.indexOf(own.substring(parent.length() + 1)) - 1;
          if (before >= 0) {
            awaitEnd(parent + "/" + entries.get(before));
          }
        } catch (KeeperException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      private List<String> enter() throws KeeperException, InterruptedException {
        if (own.isEmpty()) {
          makeParent();
        }
        CompletableFuture<String> made = new CompletableFuture<>();
        Create2Callback answered =
            (code, path, context, node, stat) -> complete(made, code, path, node);
        CompletableFuture<List<String>> listed = new CompletableFuture<>();
        CreateMode mode = CreateMode.EPHEMERAL_SEQUENTIAL;
        zooKeeper.create(parent + "/", NO_DATA, Ids.OPEN_ACL_UNSAFE, mode, answered, null);
        zooKeeper.getChildren(
            parent,
            false,
            (code, path, context, children) -> complete(listed, code, path, children),
            null);
        own = made.join();
        return listed.join().stream().sorted().toList();
      }

      private void makeParent() throws KeeperException, InterruptedException {
        try {
          zooKeeper.create(parent, NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (NodeExistsException e) {
          // By the other process
        }
      }

      private void awaitEnd(String node) throws KeeperException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        boolean there =
            zooKeeper.exists(
                    node,
                    event -> {
                      if (event.getType() == EventType.NodeDeleted) {
                        ended.countDown();
                      }
                    })
                != null;
        if (there) {
          ended.await();
        }
      }

      @Override
      public void unlock() {
        try {
          zooKeeper.delete(own, -1);
        } catch (KeeperException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }

  private static <T> void complete(CompletableFuture<T> future, int code, String path, T value) {
    if (code == Code.OK.intValue()) {
      future.complete(value);
    } else {
      future.completeExceptionally(KeeperException.create(Code.get(code), path));
    }
  }
}
