package io.leasehold.gallery;

import io.leasehold.servers.ServerProcess;
import io.leasehold.servers.SteppableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** A client of Leasehold in another process, which can be stopped, and whose clock can be wrong. */
final class RemoteLeasehold implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Client client;
  private final ServerProcess process;

  /**
   * Starts it.
   *
   * @param ahead by how much its wall clock is ahead of the right one
   */
  RemoteLeasehold(Client client, String url, Duration ahead) throws IOException {
    this.client = client;
    Path folder = Files.createTempDirectory("leasehold-client-");
    SteppableClock clock = new SteppableClock(folder);
    clock.step(ahead);
    process =
        ServerProcess.start(
            folder,
            (port, data) -> {
              ProcessBuilder builder = Jvm.running(ClientProcess.class.getName(), port + "", url);
              clock.addTo(builder.environment());
              return builder;
            },
            port -> ask(port, "ping").equals("ready"));
  }

  Client lane() {
    return client;
  }

  /** Tries once; its token, if it has the lock. */
  OptionalLong tries(String name) throws IOException {
    String answer = ask(process.port(), "try " + name);
    return answer.equals("busy") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(answer));
  }

  /** Waits for it; its token. */
  long acquires(String name) throws IOException {
    return Long.parseLong(ask(process.port(), "acquire " + name));
  }

  boolean isHeld() throws IOException {
    return Boolean.parseBoolean(ask(process.port(), "isHeld"));
  }

  /** SIGSTOP. */
  void stops() {
    process.pause();
    client.stops("is stopped by SIGSTOP");
  }

  /** SIGCONT. */
  void goesOn() {
    process.resume();
  }

  private static String ask(int port, String line) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
