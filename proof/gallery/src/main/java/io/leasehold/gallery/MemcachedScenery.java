package io.leasehold.gallery;

import io.leasehold.gallery.wild.Memcached;
import io.leasehold.servers.Programs;
import io.leasehold.servers.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A memcached in a play. */
final class MemcachedScenery {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final Stage stage;
  private final int port;

  MemcachedScenery(Stage stage, ServerProcess server) throws IOException {
    this.stage = stage;
    this.port = server.port();
    ask(port, "flush_all");
  }

  static ServerProcess start() {
    String program = Programs.server("memcached-1.6").toString();
    try {
      Path folder = Files.createTempDirectory("leasehold-memcached-");
      return ServerProcess.start(
          folder,
          (port, data) ->
              new ProcessBuilder(
                  program, "-l", "127.0.0.1", "-p", String.valueOf(port), "-u", user()),
          port -> ask(port, "version").startsWith("VERSION"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String user() {
    return System.getProperty("user.name");
  }

  /** A connection of this client, recorded. */
  Memcached connect(Client client) {
    return new Memcached() {
      @Override
      public boolean add(String key, int seconds, String value) throws IOException {
        String request = "add " + key + " 0 " + seconds + " " + value.length();
        String reply = ask(port, request + "\r\n" + value);
        client.says(request + " → " + reply);
        return reply.equals("STORED");
      }

      @Override
      public void delete(String key) throws IOException {
        client.says("delete " + key + " → " + ask(port, "delete " + key));
      }
    };
  }

  /** Shows an item's ttl as what the data looks like after: -1 is for ever. */
  String showsTtl(String key) throws IOException {
    String reply = ask(port, "mg " + key + " t");
    stage.data("mg " + key + " t");
    stage.data(reply);
    return reply;
  }

  private static String ask(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
      InputStreamReader in =
          new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII);
      return String.valueOf(new BufferedReader(in).readLine());
    }
  }
}
