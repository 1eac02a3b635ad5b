package io.leasehold.testkit;

/**
 * The requests of one connection and their replies, and where among them it is to be cut. Asked by
 * the connection's two threads.
 */
final class ProxyExchange {
  private static final long NEVER = Long.MAX_VALUE;

  private long sent;
  private long answered;
  private long lastDelivered = NEVER;
  private long lastAnswered = NEVER;
  private boolean isCut;

  /** Another request is about to reach the server. */
  synchronized void send() {
    sent++;
  }

  /** The next request must not reach the server. */
  synchronized void cutBeforeNext() {
    lastDelivered = sent;
    lastAnswered = sent;
  }

  /** The next request is about to reach the server, and its reply must not reach the client. */
  synchronized void cutAfterNext() {
    lastDelivered = sent;
    sent++;
    lastAnswered = sent;
  }

  /** Whether what the server sends may still reach the client. */
  synchronized boolean delivers() {
    return answered < lastDelivered;
  }

  /** A reply has been dealt with; one without a request is a message, and does not count. */
  synchronized void answer() {
    if (answered < sent) {
      answered++;
    }
  }

  /** Whether the connection is to be cut now; true once. */
  synchronized boolean takeCut() {
    boolean isDue = !isCut && answered >= lastAnswered;
    isCut |= isDue;
    return isDue;
  }
}
