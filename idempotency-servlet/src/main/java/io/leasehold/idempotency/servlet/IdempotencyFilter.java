package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.OnUnknown;
import io.leasehold.idempotency.WhileRunning;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Processes a request with an {@code Idempotency-Key} once, and replays its response to those that
 * repeat it. The header field is that of the IETF draft
 * draft-ietf-httpapi-idempotency-key-header-07; keys may be bare too. Thread-safe.
 *
 * <pre>{@code
 * Filter filter = IdempotencyFilter.builder(idempotency).build();
 * context.addFilter(filter, "/payments/*", EnumSet.of(DispatcherType.REQUEST));
 * }</pre>
 *
 * <p>A response goes to the client after it was stored, and it is stored after the application
 * returned. Map the filter behind the one that authenticates and before all that read the body. It
 * runs the application on the thread of the request, and takes part in no asynchronous processing.
 * It closes nothing: {@link Idempotency} is the application's to close.
 */
public final class IdempotencyFilter implements Filter {
  private static final String CLAIM = IdempotencyFilter.class.getName() + ".claim";
  private static final String REPLAYED = "Idempotency-Replayed";

  private final Builder settings;
  private final IdempotentOperation<StoredResponse> operation;

  private IdempotencyFilter(Builder settings) {
    this.settings = settings;
    IdempotentOperation<StoredResponse> all =
        settings
            .idempotency
            .operation(settings.operation, StoredResponse.CODEC)
            .whileRunning(settings.whileRunning)
            .onUnknown(settings.onUnknown)
            .afterException(thrown -> after((Failed) thrown));
    Duration keep = settings.keep;
    operation = keep == null ? all : all.keep(keep);
  }

  private AfterException after(Failed failed) {
    Throwable cause = failed.getCause();
    return switch (failed.why()) {
      case NOT_TO_BE_KEPT -> AfterException.RELEASE;
      case STREAMED -> AfterException.UNKNOWN;
      case THREW -> settings.afterException.apply(cause == null ? failed : cause);
    };
  }

  /** A filter whose keys are kept there. */
  public static Builder builder(Idempotency idempotency) {
    return new Builder(idempotency);
  }

  /**
   * The claim under which a request is processed; empty if it has no key. Its token is for writes
   * that a paused caller must not overtake.
   */
  public static Optional<Claim> claim(ServletRequest request) {
    return Optional.ofNullable((Claim) request.getAttribute(CLAIM));
  }

  @Override
  public void doFilter(ServletRequest any, ServletResponse answer, FilterChain chain)
      throws IOException, ServletException {
    if (any instanceof HttpServletRequest request
        && answer instanceof HttpServletResponse response
        && settings.methods.contains(request.getMethod())
        && request.getDispatcherType() == DispatcherType.REQUEST
        && claim(request).isEmpty()) {
      try {
        filter(request, response, chain);
      } catch (Refusal e) {
        e.problem().send(response, String.valueOf(e.getMessage()));
      }
    } else {
      chain.doFilter(any, answer);
    }
  }

  private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException, Refusal {
    List<String> lines = Collections.list(request.getHeaders(settings.header));
    if (!lines.isEmpty()) {
      Exchange exchange = new Exchange(settings, operation, request, response, chain);
      exchange.run(key(lines), principal(request));
    } else if (settings.required.test(request)) {
      throw new Refusal(
          Problem.KEY_MISSING,
          "Send "
              + settings.header
              + " with a new key, as a UUID, and the same one when you repeat the request");
    } else {
      chain.doFilter(request, response);
    }
  }

  private String key(List<String> lines) throws Refusal {
    try {
      return HeaderKey.parse(lines);
    } catch (IllegalArgumentException e) {
      throw new Refusal(Problem.KEY_INVALID, settings.header + ": " + e.getMessage());
    }
  }

  private String principal(HttpServletRequest request) throws Refusal {
    String principal = settings.principal.apply(request);
    if (principal == null) {
      throw new Refusal(
          Problem.CALLER_UNKNOWN,
          "Keys belong to their callers, and it is not known whose this one is. Authenticate; the"
              + " operator of this service may set IdempotencyFilter's principal");
    }
    return principal;
  }

  static void setClaim(ServletRequest request, Claim claim) {
    request.setAttribute(CLAIM, claim);
  }

  static void sayReplayed(HttpServletResponse response) {
    response.setHeader(REPLAYED, "true");
  }

  private static @Nullable String userPrincipal(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    return principal == null ? null : principal.getName();
  }

  /** Settings. Not thread-safe. */
  public static final class Builder {
    private static final int LARGEST = 8 << 20;

    private final Idempotency idempotency;
    private String operation = "http";
    private String header = "Idempotency-Key";
    private Set<String> methods = Set.of("POST", "PATCH");
    private Predicate<HttpServletRequest> required = request -> false;
    private Function<HttpServletRequest, @Nullable String> principal =
        IdempotencyFilter::userPrincipal;
    private WhileRunning whileRunning = WhileRunning.fail();
    private OnUnknown onUnknown = OnUnknown.FAIL;
    private Function<Throwable, AfterException> afterException = Builder::release;
    private @Nullable Duration keep;
    @Nullable RequestReconciler reconciler;
    IntPredicate keptStatus = Builder::isKept;
    int maxRequest = 1 << 20;
    int maxResponse = 1 << 20;
    Set<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    private Builder(Idempotency idempotency) {
      this.idempotency = idempotency;
      headers.addAll(
          List.of(
              "Cache-Control",
              "Content-Disposition",
              "Content-Encoding",
              "Content-Language",
              "Content-Location",
              "Content-Type",
              "ETag",
              "Expires",
              "Last-Modified",
              "Link",
              "Location",
              "Retry-After",
              "Vary",
              // A proxy puts a file in place of the body; it does so again for a replay
              "X-Accel-Redirect",
              "X-Sendfile"));
    }

    private Builder(Builder from) {
      idempotency = from.idempotency;
      operation = from.operation;
      header = from.header;
      methods = from.methods;
      required = from.required;
      principal = from.principal;
      whileRunning = from.whileRunning;
      onUnknown = from.onUnknown;
      afterException = from.afterException;
      keep = from.keep;
      reconciler = from.reconciler;
      keptStatus = from.keptStatus;
      maxRequest = from.maxRequest;
      maxResponse = from.maxResponse;
      headers.addAll(from.headers);
    }

    private static AfterException release(Throwable thrown) {
      return thrown instanceof Error || thrown instanceof InterruptedException
          ? AfterException.UNKNOWN
          : AfterException.RELEASE;
    }

    private static boolean isKept(int status) {
      return status < 500 && status != 408 && status != 425 && status != 429;
    }

    /** The operation whose keys these are: {@code http} if nothing is said. */
    public Builder operation(String name) {
      operation = name;
      return this;
    }

    /** The name of the header field: {@code Idempotency-Key} if nothing is said. */
    public Builder header(String name) {
      header = name;
      return this;
    }

    /** The methods whose requests are looked at: {@code POST} and {@code PATCH}. */
    public Builder methods(String... names) {
      methods = Set.of(names);
      return this;
    }

    /**
     * Which requests must have a key; the others, without one, are processed as if there were no
     * filter. If nothing is said: none must.
     */
    public Builder requireKey(Predicate<HttpServletRequest> when) {
      required = when;
      return this;
    }

    /**
     * Whose key it is: the same key of two principals is two keys. The name of {@code
     * getUserPrincipal()} if nothing is said; a request that has a key and no principal (null) is
     * refused with 403. {@code request -> ""} makes all callers one, who can then read each other's
     * responses if they know the key and repeat the request: right where all of them are trusted,
     * or where keys are secrets.
     */
    public Builder principal(Function<HttpServletRequest, @Nullable String> of) {
      principal = of;
      return this;
    }

    /** What becomes of a repeated request while the first is processed: 409 if nothing is said. */
    public Builder whileRunning(WhileRunning what) {
      whileRunning = what;
      return this;
    }

    /** What becomes of a request whose earlier one never ended: 409 if nothing is said. */
    public Builder onUnknown(OnUnknown what) {
      onUnknown = what;
      reconciler = null;
      return this;
    }

    /** A request whose earlier one never ended finds out what became of it. */
    public Builder reconcile(RequestReconciler how) {
      onUnknown = OnUnknown.RETRY;
      reconciler = how;
      return this;
    }

    /** How long responses are kept; if nothing is said, what {@link Idempotency} says. */
    public Builder keep(Duration time) {
      keep = time;
      return this;
    }

    /**
     * Responses of which status are kept. The others go to the client and the key is free again. If
     * nothing is said: all below 500 but 408, 425 and 429. To keep those of 500 and above too:
     * {@code status -> true}.
     */
    public Builder keepStatus(IntPredicate statuses) {
      keptStatus = statuses;
      return this;
    }

    /**
     * What becomes of the key if the application throws: {@link AfterException#RELEASE}, and {@link
     * AfterException#UNKNOWN} for an {@code Error} and an {@code InterruptedException}, if nothing
     * is said. {@code REPLAY} answers 500 from then on, without the exception.
     */
    public Builder afterException(Function<Throwable, AfterException> policy) {
      afterException = policy;
      return this;
    }

    /** The largest body of a request with a key: 1 MiB if nothing is said. Larger ones: 413. */
    public Builder maxRequest(int bytes) {
      maxRequest = requireSize(bytes);
      return this;
    }

    /**
     * The largest body of a response that is kept: 1 MiB if nothing is said; not more than {@link
     * Idempotency.Builder#maxResult}. A larger one goes to the client, and repeated requests get
     * 409: it is not done again.
     */
    public Builder maxResponse(int bytes) {
      maxResponse = requireSize(bytes);
      return this;
    }

    private static int requireSize(int bytes) {
      if (bytes < 0 || bytes > LARGEST) {
        throw new IllegalArgumentException(
            "a body has 0 to " + LARGEST + " bytes at most, not " + bytes);
      }
      return bytes;
    }

    /**
     * More headers of responses that are kept and replayed; those that say what the body is, where
     * it is and how it is cached are kept anyway. {@code Set-Cookie} is not one of them.
     */
    public Builder replayHeaders(String... names) {
      headers.addAll(List.of(names));
      return this;
    }

    /**
     * Makes it.
     *
     * @throws IllegalArgumentException if the operation has no name, or too long a one
     */
    public IdempotencyFilter build() {
      return new IdempotencyFilter(new Builder(this));
    }
  }
}
