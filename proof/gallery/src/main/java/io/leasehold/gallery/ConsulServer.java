package io.leasehold.gallery;

import io.leasehold.servers.Programs;
import io.leasehold.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts Consul in its development mode, with sessions that may be as short as a second. */
final class ConsulServer {
  private ConsulServer() {}

  static ServerProcess start() {
    String program = Programs.server("consul-1.8").toString();
    try {
      Path folder = Files.createTempDirectory("leasehold-consul-");
      return ServerProcess.start(
          folder,
          (port, data) -> new ProcessBuilder(command(program, port)),
          ConsulServer::answers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> command(String program, int port) throws IOException {
    return List.of(
        program,
        "agent",
        "-dev",
        "-bind=127.0.0.1",
        "-client=127.0.0.1",
        "-http-port=" + port,
        "-dns-port=-1",
        "-grpc-port=-1",
        "-server-port=" + freePort(),
        "-serf-lan-port=" + freePort(),
        "-serf-wan-port=" + freePort(),
        "-hcl=disable_update_check = true",
        "-hcl=session_ttl_min = \"1s\"");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** It has a leader, and its node is healthy, when it makes a session. */
  private static boolean answers(int port) throws IOException {
    try {
      return ConsulHttp.put(port, "/v1/session/create", "{\"TTL\": \"10s\"}").contains("ID");
    } catch (IllegalStateException notYet) {
      return false;
    }
  }
}
