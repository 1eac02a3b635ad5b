package io.leasehold.idempotency.servlet;

import io.leasehold.StoreException;
import io.leasehold.idempotency.AlreadyRunningException;
import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.FingerprintMismatchException;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.ReplayedException;
import io.leasehold.idempotency.ResultUnavailableException;
import io.leasehold.idempotency.StaleClaimException;
import io.leasehold.idempotency.UnknownOutcomeException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** One request with a key. One thread's. */
final class Exchange {
  private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());
  private static final Duration SOON = Duration.ofSeconds(1);

  private final IdempotencyFilter.Builder settings;
  private final IdempotentOperation<StoredResponse> operation;
  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final FilterChain chain;
  private final Streaming streaming = new Streaming();
  private final CapturedResponse made;

  /** Whether the application has made a response, in this call. */
  private boolean hasRun;

  Exchange(
      IdempotencyFilter.Builder settings,
      IdempotentOperation<StoredResponse> operation,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain) {
    this.settings = settings;
    this.operation = operation;
    this.request = request;
    this.response = response;
    this.chain = chain;
    this.made = new CapturedResponse(response, settings.maxResponse, streaming);
  }

  void run(String key, String principal) throws IOException, ServletException, Refusal {
    CapturedRequest captured = CapturedRequest.read(request, settings.maxRequest, streaming);
    StoredResponse stored;
    try {
      stored =
          operation(captured)
              .execute(
                  Key.of(principal, key),
                  captured.fingerprint(),
                  claim -> process(captured, claim));
    } catch (Failed e) {
      failed(e);
      return;
    } catch (AlreadyRunningException e) {
      Problem.RUNNING.send(
          response, "Nothing was done by this request. Send it again later", e.retryAfter());
      return;
    } catch (FingerprintMismatchException e) {
      throw new Refusal(
          Problem.KEY_REUSED,
          "Method, path, query or body differ. Nothing was done. Use a new key for each request");
    } catch (UnknownOutcomeException e) {
      throw new Refusal(
          Problem.OUTCOME_UNKNOWN,
          "It began and never ended, so it may have been processed. Nothing was done by this"
              + " request. Find out, and use a new key if it was not");
    } catch (ReplayedException e) {
      IdempotencyFilter.sayReplayed(response);
      throw new Refusal(Problem.FAILED_BEFORE, "Nothing was done by this request");
    } catch (ResultUnavailableException e) {
      notStored(e);
      return;
    } catch (StaleClaimException e) {
      stale(e);
      return;
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "a request was refused: the store did not answer", e);
      Problem.STORE_UNAVAILABLE.send(response, "Nothing was done. Send it again later", SOON);
      return;
    }
    if (hasRun) {
      made.send();
    } else {
      replay(stored);
    }
  }

  private IdempotentOperation<StoredResponse> operation(CapturedRequest captured) {
    RequestReconciler reconciler = settings.reconciler;
    return reconciler == null
        ? operation
        : operation.reconcile(claim -> reconciler.reconcile(captured, claim));
  }

  private StoredResponse process(CapturedRequest captured, Claim claim) throws Failed {
    IdempotencyFilter.setClaim(captured, claim);
    try {
      chain.doFilter(captured, made);
    } catch (Throwable thrown) {
      throw new Failed(streaming.what() == null ? Failed.Why.THREW : Failed.Why.STREAMED, thrown);
    }
    if (streaming.what() != null) {
      throw new Failed(Failed.Why.STREAMED, null);
    }
    StoredResponse kept = made.toStored(settings.headers);
    if (!settings.keptStatus.test(made.getStatus())) {
      throw new Failed(Failed.Why.NOT_TO_BE_KEPT, null);
    }
    hasRun = true;
    return kept;
  }

  private void failed(Failed failed) throws IOException, ServletException, Refusal {
    if (failed.getSuppressed().length > 0) {
      LOG.log(
          Level.WARNING,
          "a request ended without a response that is kept, and its key was not given back: it may"
              + " stay unknown",
          failed.getSuppressed()[0]);
    }
    switch (failed.why()) {
      case NOT_TO_BE_KEPT -> made.send();
      case THREW -> rethrow(failed);
      case STREAMED -> {
        String what = String.valueOf(streaming.what());
        LOG.log(Level.ERROR, "a response cannot be kept, and its outcome stays unknown: " + what);
        if (response.isCommitted()) {
          throw new ServletException("a response cannot be kept: " + what, failed.getCause());
        }
        response.reset();
        throw new Refusal(
            Problem.STREAMING,
            "The request may have been processed: "
                + what
                + ". Do not send a key to this resource");
      }
    }
  }

  private static void rethrow(Failed failed) throws IOException, ServletException {
    Throwable cause = failed.getCause();
    if (cause instanceof IOException e) {
      throw e;
    }
    if (cause instanceof ServletException e) {
      throw e;
    }
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
    throw new ServletException(cause);
  }

  private void replay(StoredResponse stored) throws IOException, Refusal {
    IdempotencyFilter.sayReplayed(response);
    if (stored.isTooLarge()) {
      throw notKept();
    }
    stored.replay(response);
  }

  private static Refusal notKept() {
    return new Refusal(
        Problem.RESPONSE_NOT_KEPT,
        "It was too large, or cannot be read. The request is not processed again");
  }

  /** The work was done. What it answered is true, whether it could be stored or not. */
  private void notStored(ResultUnavailableException e) throws IOException, Refusal {
    if (!hasRun) {
      IdempotencyFilter.sayReplayed(response);
      throw notKept();
    }
    LOG.log(Level.WARNING, "a response was sent that was not stored", e);
    made.send();
  }

  /** Another call may have done the work too, and has stored its response: that one is replayed. */
  private void stale(StaleClaimException e) throws IOException {
    LOG.log(Level.WARNING, "a response was not sent, for it was not stored", e);
    if (!response.isCommitted()) {
      response.reset();
      Problem.RUNNING.send(response, "It was processed more than once. Send it again", SOON);
    }
  }
}
