package io.leasehold.gallery;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Requests to a Consul on this machine. */
final class ConsulHttp {
  private static final int OK = 200;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ConsulHttp() {}

  static String put(int port, String path, String body) throws IOException {
    return send(request(port, path).PUT(BodyPublishers.ofString(body)).build());
  }

  static String get(int port, String path) throws IOException {
    return send(request(port, path).GET().build());
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(30));
  }

  private static String send(HttpRequest request) throws IOException {
    try {
      HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
      if (response.statusCode() != OK) {
        throw new IllegalStateException(response.statusCode() + " " + response.body());
      }
      return response.body().strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
