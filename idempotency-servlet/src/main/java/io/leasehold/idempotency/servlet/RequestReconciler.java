package io.leasehold.idempotency.servlet;

import io.leasehold.idempotency.Claim;
import io.leasehold.idempotency.Reconciler.Finding;
import jakarta.servlet.http.HttpServletRequest;

/** Finds out whether a request was processed whose processing never ended. */
@FunctionalInterface
public interface RequestReconciler {
  /**
   * Looks at what processing leaves behind, as {@link
   * io.leasehold.idempotency.Reconciler#reconcile} says.
   *
   * @param request the same request, sent again; its body can be read
   * @param claim the claim of this call
   * @return the response it had, or that it was not processed, or that this cannot be told
   */
  Finding<StoredResponse> reconcile(HttpServletRequest request, Claim claim) throws Exception;
}
