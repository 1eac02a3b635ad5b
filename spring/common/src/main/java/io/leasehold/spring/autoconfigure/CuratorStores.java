package io.leasehold.spring.autoconfigure;

import io.leasehold.Leasehold;
import io.leasehold.zookeeper.ZooKeeperStores;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;

/** Locks as nodes of ZooKeeper, in the session of a client of the application. */
final class CuratorStores extends StoreBeans<CuratorFramework> {
  private static final String NODE = "/leasehold";

  CuratorStores() {
    super(CuratorFramework.class);
  }

  @Override
  String what() {
    return "a CuratorFramework";
  }

  @Override
  String limits() {
    return "there is not exactly one CuratorFramework that is started";
  }

  @Override
  boolean serves(CuratorFramework client) {
    return client.getState() == CuratorFrameworkState.STARTED;
  }

  @Override
  OpenableStore in(CuratorFramework client, LeaseholdProperties settings) {
    String prefix = settings.prefix() == null ? NODE : settings.prefix();
    return new OpenableStore(Leasehold.builder(ZooKeeperStores.using(client, prefix)));
  }
}
