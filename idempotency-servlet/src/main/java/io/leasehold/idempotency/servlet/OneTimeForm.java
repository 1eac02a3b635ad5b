package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.Action;
import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.OnUnknown;
import io.leasehold.idempotency.OneTimeTokens;
import io.leasehold.idempotency.Reconciler;
import io.leasehold.idempotency.WhileRunning;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Objects;

/**
 * A form of a page that is rendered on the server, whose submissions do their work once: a token in
 * a hidden field, a redirect after the POST, and a script that disables the button. Immutable and
 * thread-safe.
 *
 * <pre>{@code
 * OneTimeForm form = OneTimeForm.of(tokens, idempotency, "order", Duration.ofHours(1));
 * page.print("<form method=post action=/orders>" + form.hiddenField(form.issue("order:" + user)));
 * ...
 * form.submit(request, response, "order:" + user, claim -> "/orders/" + book(cart));
 * }</pre>
 *
 * <p>Of any number of submissions of one token, one does the work, and all are redirected to what
 * it made. A token is of what is rendered with it: one of a cart, kept with the cart, also holds
 * for a form that is open in two tabs; one of each rendering does not. Let browsers keep the page
 * for the back button ({@code Cache-Control: private, no-cache}, not {@code no-store}).
 */
public final class OneTimeForm {
  /** The name of the hidden field. */
  public static final String FIELD = "one-time-token";

  /** A user who waits longer reloads; the answer is there then. */
  private static final Duration WAIT = Duration.ofSeconds(10);

  /**
   * Tokens are accepted so much later, by the clock of another host; their results outlive them.
   */
  private static final Duration SKEW = Duration.ofMinutes(10);

  private static final String SCRIPT =
      """
      document.addEventListener('submit', event => {
        const form = event.target;
        if (event.defaultPrevented || !form.elements.namedItem('FIELD')) return;
        if (form.dataset.submitted) return event.preventDefault();
        form.dataset.submitted = 'true';
        setTimeout(() => buttons(form).forEach(button => button.disabled = true));
      });
      addEventListener('pageshow', event => {
        if (event.persisted) document.querySelectorAll('form[data-submitted]').forEach(form => {
          delete form.dataset.submitted;
          buttons(form).forEach(button => button.disabled = false);
        });
      });
      function buttons(form) {
        return form.querySelectorAll('[type=submit], [type=image], button:not([type])');
      }
      """
          .replace("FIELD", FIELD);

  private final OneTimeTokens tokens;
  private final IdempotentOperation<String> operation;
  private final Duration ttl;

  private OneTimeForm(OneTimeTokens tokens, IdempotentOperation<String> operation, Duration ttl) {
    this.tokens = tokens;
    this.operation = operation;
    this.ttl = ttl;
  }

  /**
   * A form.
   *
   * @param operation what it does, as {@code order}
   * @param ttl how long a page may be open before it is submitted, up to a year
   */
  public static OneTimeForm of(
      OneTimeTokens tokens, Idempotency idempotency, String operation, Duration ttl) {
    return new OneTimeForm(
        tokens,
        idempotency
            .operation(operation, Codec.TEXT)
            .keep(ttl.plus(SKEW))
            .whileRunning(WhileRunning.await(WAIT)),
        ttl);
  }

  /** What a submission does that finds an earlier one that never ended: it fails by default. */
  public OneTimeForm onUnknown(OnUnknown what) {
    return new OneTimeForm(tokens, operation.onUnknown(what), ttl);
  }

  /** A submission that finds an earlier one that never ended finds out what became of it. */
  public OneTimeForm reconcile(Reconciler<String> how) {
    return new OneTimeForm(tokens, operation.reconcile(how), ttl);
  }

  /**
   * A token; asks the store nothing.
   *
   * @param scope what it is good for, with whom it is given to: {@code "order:" + user}
   */
  public String issue(String scope) {
    return tokens.issue(scope, ttl);
  }

  /** The field of a token, as HTML. */
  public String hiddenField(String token) {
    return "<input type=\"hidden\" name=\"" + FIELD + "\" value=\"" + token + "\">";
  }

  /**
   * JavaScript that disables the buttons of a form of this kind once it is submitted, and enables
   * them when the user comes back to the page. It saves a request; the token does not need it.
   */
  public static String script() {
    return SCRIPT;
  }

  /**
   * Does the work of a submission, or finds what an earlier one did, and redirects to it (303).
   *
   * @param scope that of {@link #issue}
   * @param work yields where to redirect to, as {@code /orders/4711}
   * @throws io.leasehold.idempotency.TokenRefusedException if there is no token, or it is not ours,
   *     expired, or of another scope: show a new form
   * @throws io.leasehold.idempotency.AlreadyRunningException if an earlier submission took longer
   *     than 10 s: ask the user to reload
   * @throws io.leasehold.idempotency.UnknownOutcomeException if an earlier one never ended
   * @throws io.leasehold.StoreException if the store does not answer; the work was not done
   * @throws E what the work throws; the token can be used again
   */
  public <E extends Exception> void submit(
      HttpServletRequest request,
      HttpServletResponse response,
      String scope,
      Action<String, E> work)
      throws E {
    String token = Objects.requireNonNullElse(request.getParameter(FIELD), "");
    String location = tokens.consumeAfter(scope, token, operation, work);
    response.setStatus(HttpServletResponse.SC_SEE_OTHER);
    response.setHeader("Location", location);
  }
}
