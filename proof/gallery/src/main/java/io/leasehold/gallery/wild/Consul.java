package io.leasehold.gallery.wild;

/** Consul's HTTP API. */
public interface Consul {
  /** Yields the body of the answer. */
  String put(String path, String body) throws Exception;

  /** Yields the id of a new session. */
  default String createSession(String settings) throws Exception {
    String answer = put("/v1/session/create", settings);
    return answer.replaceAll("(?s).*\"ID\":\\s*\"([^\"]+)\".*", "$1");
  }
}
