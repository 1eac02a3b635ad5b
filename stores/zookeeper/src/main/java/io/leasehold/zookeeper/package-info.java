/**
 * Locks in ZooKeeper: {@code zookeeper://host:port}, or over a Curator client of the application
 * ({@link io.leasehold.zookeeper.ZooKeeperStores}).
 */
@NullMarked
package io.leasehold.zookeeper;

import org.jspecify.annotations.NullMarked;
