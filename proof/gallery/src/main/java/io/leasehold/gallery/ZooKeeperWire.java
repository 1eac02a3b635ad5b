package io.leasehold.gallery;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** A handle that records each request with its outcome, and counts them. */
@SuppressWarnings("try") // ZooKeeper is closed interruptibly
final class ZooKeeperWire extends ZooKeeper {
  static final int SESSION_MILLIS = 30_000;

  private final Client client;
  private final AtomicInteger requests;

  ZooKeeperWire(Client client, AtomicInteger requests, int port) throws IOException {
    super("127.0.0.1:" + port, SESSION_MILLIS, event -> {});
    this.client = client;
    this.requests = requests;
  }

  @Override
  public String create(String path, byte[] data, List<ACL> acl, CreateMode mode)
      throws KeeperException, InterruptedException {
    String request = "create " + path + " " + mode.name().toLowerCase(Locale.ROOT);
    return sent(request, "done", () -> super.create(path, data, acl, mode));
  }

  @Override
  public void delete(String path, int version) throws KeeperException, InterruptedException {
    sent(
        "delete " + path,
        "done",
        () -> {
          super.delete(path, version);
          return path;
        });
  }

  @Override
  public Stat exists(String path, Watcher watcher) throws KeeperException, InterruptedException {
    return sent("exists " + path + ", watched", "answered", () -> super.exists(path, watcher));
  }

  private <T> T sent(String request, String done, Work<T> work)
      throws KeeperException, InterruptedException {
    try {
      T result = work.run();
      client.says(request + " → " + done);
      return result;
    } catch (KeeperException e) {
      client.says(request + " → " + e.code().name());
      throw e;
    } finally {
      requests.incrementAndGet();
    }
  }

  private interface Work<T> {
    T run() throws KeeperException, InterruptedException;
  }
}
