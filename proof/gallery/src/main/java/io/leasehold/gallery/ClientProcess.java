package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.LogManager;

/** A process with a client of Leasehold, which does what a connection asks: a line, an answer. */
final class ClientProcess {
  private final LockClient locks;
  private Optional<Lease> lease = Optional.empty();

  private ClientProcess(LockClient locks) {
    this.locks = locks;
  }

  /** Runs until it is killed; its arguments are the port to listen on and the store's URL. */
  public static void main(String[] arguments) throws Exception {
    LogManager.getLogManager().reset();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (LockClient locks = Leasehold.connect(arguments[1]);
        ServerSocket listening = new ServerSocket(Integer.parseInt(arguments[0]), 10, loopback)) {
      ClientProcess process = new ClientProcess(locks);
      while (!listening.isClosed()) {
        try (Socket socket = listening.accept()) {
          process.serve(socket);
        }
      }
    }
  }

  private void serve(Socket socket) throws IOException, InterruptedException {
    InputStreamReader in = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
    String answer = answer(String.valueOf(new BufferedReader(in).readLine()).split(" ", -1));
    socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
  }

  private String answer(String[] words) throws InterruptedException {
    return switch (words[0]) {
      case "try" -> {
        lease = locks.lock(words[1]).tryAcquire();
        yield lease.map(each -> String.valueOf(each.fencingToken())).orElse("busy");
      }
      case "acquire" -> {
        Lease granted = locks.lock(words[1]).acquire(Duration.ofSeconds(10));
        lease = Optional.of(granted);
        yield String.valueOf(granted.fencingToken());
      }
      case "isHeld" -> String.valueOf(lease.orElseThrow().isHeld());
      default -> "ready";
    };
  }
}
