package io.leasehold.idempotency.servlet;

/** A request that is not processed, with what its client is told. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final Problem problem;

  Refusal(Problem problem, String detail) {
    super(detail, null, false, false);
    this.problem = problem;
  }

  Problem problem() {
    return problem;
  }
}
