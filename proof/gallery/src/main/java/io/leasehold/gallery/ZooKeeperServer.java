package io.leasehold.gallery;

import io.leasehold.servers.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

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
              new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:+UseSerialGC",
                      "-XX:TieredStopAtLevel=1",
                      "-Xmx128m",
                      "-Dzookeeper.admin.enableServer=false",
                      "-cp",
                      classPath(),
                      "org.apache.zookeeper.server.ZooKeeperServerMain",
                      String.valueOf(port),
                      data.toString())),
          ZooKeeperServer::answers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Surefire keeps the real one in another property; the server runs in another folder. */
  private static String classPath() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .map(each -> Path.of(each).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
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
