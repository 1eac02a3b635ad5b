package io.leasehold.gallery;

import io.leasehold.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts ZooKeeper from its artifact, in another JVM. */
final class ZooKeeperServer {
  private static final int PATIENCE_MILLIS = 5_000;

  private ZooKeeperServer() {}

  static ServerProcess start() {
    try {
      Path folder = Files.createTempDirectory("leasehold-zookeeper-");
      return ServerProcess.start(
          folder,
          (port, data) ->
              Jvm.running(
                  List.of("-Dzookeeper.admin.enableServer=false"),
                  "org.apache.zookeeper.server.ZooKeeperServerMain",
                  String.valueOf(port),
                  data.toString()),
          ZooKeeperServer::answers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean answers(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readAllBytes();
      return new String(answer, StandardCharsets.US_ASCII).startsWith("Zookeeper version");
    }
  }
}
