package io.leasehold.idempotency.client;

import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Gives a request an {@code Idempotency-Key} and sends it again, with the same key, while the
 * answer says that this is worth it, or there is none. Immutable and thread-safe.
 *
 * <pre>{@code
 * HttpResponse<String> answer =
 *     retry.intercept(request, next -> client.send(next, BodyHandlers.ofString()));
 * }</pre>
 *
 * <p>One call is one logical request: it gets one key, unless the request has one already. What is
 * sent again: after an {@link IOException}, a 409 with {@code Retry-After} (the first one is still
 * processed), 425, 429, and every status of 500 and above but 501 and 505. What is not: everything
 * else, a 409 without {@code Retry-After} too, for no repetition will change it. Give the request a
 * timeout: without one a call waits for an answer as long as the connection stays.
 *
 * <p>Only for services that honour the key: with one that does not, a request that is sent again
 * may be processed twice.
 */
public final class RetryInterceptor {
  private static final String KEY = "Idempotency-Key";

  /**
   * Sends a request once.
   *
   * @param <T> the body of the response
   */
  @FunctionalInterface
  public interface Execution<T> {
    /** Sends it, as {@code HttpClient.send} does. */
    HttpResponse<T> execute(HttpRequest request) throws IOException, InterruptedException;
  }

  /** Waits. */
  @FunctionalInterface
  interface Pause {
    void pause(long nanos) throws InterruptedException;
  }

  private final Builder settings;
  private final Clock clock;
  private final Pause pause;

  private RetryInterceptor(Builder settings, Clock clock, Pause pause) {
    this.settings = settings;
    this.clock = clock;
    this.pause = pause;
  }

  /** With the defaults of {@link Builder}. */
  public static RetryInterceptor create() {
    return builder().build();
  }

  /** With settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Sends a request, and sends it again if that is worth it.
   *
   * @param request its body must be one that can be sent again, as all publishers of {@code
   *     HttpRequest.BodyPublishers} are that are not made of a stream that can be read once
   * @return the last response: one that is not sent again, or the one after which attempts or time
   *     were used up, or that wants a longer pause than is allowed
   * @throws IOException what the last attempt threw, with that of earlier ones suppressed. Whether
   *     the request was processed is unknown; it may be sent again with the same key, which is the
   *     request's own if it had one
   * @throws InterruptedException if the thread is interrupted; likewise unknown
   */
  public <T> HttpResponse<T> intercept(HttpRequest request, Execution<T> execution)
      throws IOException, InterruptedException {
    HttpRequest keyed = keyed(request);
    long end = clock.nanos() + settings.atMost.toNanos();
    IOException before = null;
    for (int attempt = 1; ; attempt++) {
      long wait;
      try {
        HttpResponse<T> response = execution.execute(keyed);
        Optional<Long> again = again(response, attempt);
        if (again.isEmpty() || !mayWait(again.get(), attempt, end)) {
          return response;
        }
        wait = again.get();
      } catch (IOException e) {
        if (before != null) {
          e.addSuppressed(before);
        }
        before = e;
        wait = jitter(attempt);
        if (!mayWait(wait, attempt, end)) {
          throw e;
        }
      }
      pause.pause(wait);
    }
  }

  private static HttpRequest keyed(HttpRequest request) {
    if (request.headers().firstValue(KEY).isPresent()) {
      return request;
    }
    return HttpRequest.newBuilder(request, (name, value) -> true)
        .header(KEY, "\"" + UUID.randomUUID() + "\"")
        .build();
  }

  private boolean mayWait(long wait, int attempt, long end) {
    return attempt < settings.attempts && wait < end - clock.nanos();
  }

  /** After how many nanoseconds it is worth to send it again; empty if it is not. */
  private Optional<Long> again(HttpResponse<?> response, int attempt) {
    int status = response.statusCode();
    Optional<Long> told = response.headers().firstValue("Retry-After").flatMap(this::retryAfter);
    boolean isWorthIt =
        status == 409
            ? told.isPresent()
            : status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
    if (!isWorthIt || told.filter(nanos -> nanos > settings.longestPause.toNanos()).isPresent()) {
      return Optional.empty();
    }
    // Many who were told the same moment do not come back in the same moment
    return Optional.of(told.map(nanos -> nanos + jitter(1)).orElseGet(() -> jitter(attempt)));
  }

  /** At random up to a bound that doubles, so that callers who failed together part. */
  private long jitter(int attempt) {
    long first = settings.firstPause.toNanos();
    long longest = settings.longestPause.toNanos();
    int doublings = Math.min(attempt - 1, 20);
    long most = first > longest >> doublings ? longest : first << doublings;
    return ThreadLocalRandom.current().nextLong(most + 1);
  }

  /** Seconds, or a date of HTTP. */
  private Optional<Long> retryAfter(String value) {
    String text = value.trim();
    if (text.matches("\\d{1,9}")) {
      return Optional.of(TimeUnit.SECONDS.toNanos(Long.parseLong(text)));
    }
    try {
      long at =
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
              .toInstant()
              .toEpochMilli();
      return Optional.of(TimeUnit.MILLISECONDS.toNanos(Math.max(0, at - clock.wallMillis())));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Settings. Not thread-safe. */
  public static final class Builder {
    private static final Duration LONGEST = Duration.ofDays(1);

    private int attempts = 5;
    private Duration atMost = Duration.ofMinutes(1);
    private Duration firstPause = Duration.ofMillis(200);
    private Duration longestPause = Duration.ofSeconds(20);

    private Builder() {}

    private Builder(Builder from) {
      attempts = from.attempts;
      atMost = from.atMost;
      firstPause = from.firstPause;
      longestPause = from.longestPause;
    }

    /** How often a request is sent at most: 5 times if nothing is said. */
    public Builder attempts(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("a request is sent once at least, not " + most);
      }
      attempts = most;
      return this;
    }

    /**
     * No attempt begins after this: a minute if nothing is said, up to a day. An attempt itself
     * ends by the timeout of the request.
     */
    public Builder atMost(Duration time) {
      atMost = require(time);
      return this;
    }

    /**
     * The pause before the second attempt is at random up to this, and twice as long for each
     * further one: 200 ms if nothing is said.
     */
    public Builder firstPause(Duration pause) {
      firstPause = require(pause);
      return this;
    }

    /**
     * No pause is longer: 20 s if nothing is said. A response with a longer {@code Retry-After} is
     * returned.
     */
    public Builder longestPause(Duration pause) {
      longestPause = require(pause);
      return this;
    }

    private static Duration require(Duration time) {
      if (time.isNegative() || time.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException("a time is 0 to a day, not " + time);
      }
      return time;
    }

    /** Makes it. */
    public RetryInterceptor build() {
      return build(new SystemClock(), Builder::sleep);
    }

    RetryInterceptor build(Clock clock, Pause pause) {
      return new RetryInterceptor(new Builder(this), clock, pause);
    }

    private static void sleep(long nanos) throws InterruptedException {
      boolean ended = new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
      if (ended) {
        throw new IllegalStateException("a pause was ended");
      }
    }
  }
}
