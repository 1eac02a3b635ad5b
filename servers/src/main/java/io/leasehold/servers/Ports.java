package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers. A server binds its ports seconds after they were found free, so two processes
 * that start servers must not find the same: each port is a byte of one file, which its process
 * keeps locked until it ends.
 */
final class Ports {
  private static final FileChannel RESERVED = open();

  /** The JDK forgets locks that nothing refers to, and would give them again. */
  private static final Set<FileLock> LOCKS = ConcurrentHashMap.newKeySet();

  private Ports() {}

  private static FileChannel open() {
    String file = "leasehold-ports-" + System.getProperty("user.name");
    try {
      // Never closed: that would end the locks
      return FileChannel.open(
          Path.of(System.getProperty("java.io.tmpdir"), file),
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A port below those that the kernel gives to outgoing connections: while the server is down a
   * client that dials one of those may reach itself, and any other may take it. No process is given
   * it again while this one runs.
   */
  static int free() {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(15_000, 32_000);
      if (reserve(candidate) && isFree(candidate)) {
        return candidate;
      }
    }
  }

  private static boolean reserve(int port) {
    try {
      FileLock lock = RESERVED.tryLock(port, 1, false);
      return lock != null && LOCKS.add(lock);
    } catch (OverlappingFileLockException ours) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
