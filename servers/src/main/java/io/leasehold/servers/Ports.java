package io.leasehold.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers. */
final class Ports {
  private Ports() {}

  /**
   * A port below those that the kernel gives to outgoing connections: while the server is down a
   * client that dials one of those may reach itself, and any other may take it.
   */
  static int free() {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(15_000, 32_000);
      if (isFree(candidate)) {
        return candidate;
      }
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
