package io.leasehold.idempotency.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What the filter answers in place of the application, as {@code application/problem+json}. */
enum Problem {
  KEY_MISSING(400, "Idempotency-Key is missing"),
  KEY_INVALID(400, "Idempotency-Key is malformed"),
  BODY_MALFORMED(400, "The form cannot be read"),
  CALLER_UNKNOWN(403, "Idempotency-Key needs an authenticated caller"),
  BODY_TOO_LARGE(413, "The body is too large for a request with an Idempotency-Key"),
  MULTIPART(415, "Idempotency-Key does not go with a multipart body"),
  RUNNING(409, "A request with this Idempotency-Key is being processed"),
  KEY_REUSED(422, "Idempotency-Key was used for another request"),
  OUTCOME_UNKNOWN(409, "The outcome of an earlier request with this Idempotency-Key is unknown"),
  RESPONSE_NOT_KEPT(409, "The request was processed before, and its response was not kept"),
  FAILED_BEFORE(500, "An earlier request with this Idempotency-Key failed"),
  STREAMING(500, "The response was streamed, so it cannot be replayed"),
  BODY_CONSUMED(500, "The body was read before the filter could"),
  STORE_UNAVAILABLE(503, "The store of idempotency keys does not answer");

  private final int status;
  private final String title;

  Problem(int status, String title) {
    this.status = status;
    this.title = title;
  }

  int status() {
    return status;
  }

  /** Sends it. The detail is ours: nothing of the request, and nothing of another one. */
  void send(HttpServletResponse response, String detail) throws IOException {
    byte[] body =
        ("{\"type\":\"urn:leasehold:idempotency:"
                + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-')
                + "\",\"title\":"
                + quoted(title)
                + ",\"status\":"
                + status
                + ",\"detail\":"
                + quoted(detail)
                + "}\n")
            .getBytes(StandardCharsets.UTF_8);
    response.resetBuffer();
    response.setStatus(status);
    response.setHeader("Cache-Control", "no-store");
    response.setContentType("application/problem+json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** As {@link #send(HttpServletResponse, String)}, worth to be sent again after a time. */
  void send(HttpServletResponse response, String detail, Duration retryAfter) throws IOException {
    long seconds = Math.max(1, retryAfter.plusMillis(999).toSeconds());
    response.setHeader("Retry-After", Long.toString(seconds));
    send(response, detail);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
