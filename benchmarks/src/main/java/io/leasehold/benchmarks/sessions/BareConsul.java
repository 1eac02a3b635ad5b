package io.leasehold.benchmarks.sessions;

import com.google.gson.JsonParser;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * The least that a lock can cost in Consul: a key that is acquired and released by the JDK's HTTP
 * client. A session that acquires a key twice has it twice, so each thread has one, without a ttl.
 */
final class BareConsul implements Client {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String url;
  private final boolean again;
  private final ThreadLocal<String> session = ThreadLocal.withInitial(this::newSession);

  /**
   * Connects.
   *
   * @param again whether who does not get the key asks again, at once; otherwise that is an error
   */
  BareConsul(String url, boolean again) {
    this.url = url.replace("consul://", "http://") + "/v1/";
    this.again = again;
  }

  private String newSession() {
    String made = put("session/create", "{\"Checks\": [], \"NodeChecks\": []}");
    return JsonParser.parseString(made).getAsJsonObject().get("ID").getAsString();
  }

  private String put(String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path)).PUT(BodyPublishers.ofString(body)).build();
    try {
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(answer.statusCode() + " " + answer.body());
      }
      return answer.body().strip();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Mutex mutex(String name) {
    String key = "kv/" + name.replace(' ', '-');
    return new Mutex() {
      @Override
      public void lock() {
        while (!put(key + "?acquire=" + session.get(), "").equals("true")) {
          if (!again) {
            throw new IllegalStateException("another thread has it, and this does not wait");
          }
        }
      }

      @Override
      public void unlock() {
        if (!put(key + "?release=" + session.get(), "").equals("true")) {
          throw new IllegalStateException("it was lost");
        }
      }
    };
  }
}
