package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's {@code InterProcessMutex}: a client for all threads, an instance for each of them. */
final class CuratorLocks implements Client {
  private final CuratorFramework curator;

  CuratorLocks(String url, Duration ttl) {
    curator =
        CuratorFrameworkFactory.builder()
            .connectString(url.replace("zookeeper://", ""))
            .sessionTimeoutMs((int) ttl.toMillis())
            .retryPolicy(new ExponentialBackoffRetry(1000, 3))
            .build();
    curator.start();
  }

  @Override
  public Mutex mutex(String name) {
    InterProcessMutex mutex = new InterProcessMutex(curator, "/locks/" + name);
    return new Mutex() {
      @Override
      public void lock() {
        try {
          mutex.acquire();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void unlock() {
        try {
          mutex.release();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }

  @Override
  public Object keep(String name) {
    Mutex mutex = mutex(name);
    mutex.lock();
    return mutex;
  }
}
