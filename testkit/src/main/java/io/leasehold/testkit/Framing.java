package io.leasehold.testkit;

import io.leasehold.testkit.FaultProxy.Direction;

/**
 * Where requests and replies end in the bytes of a protocol, for a {@link FaultProxy} that cuts at
 * a request. It must be a protocol that answers the requests of a connection in order, each once.
 */
@FunctionalInterface
public interface Framing {
  /**
   * That of Redis and Valkey: each command is a request. The messages of RESP3 subscriptions are
   * not replies, those of RESP2 are taken for some where a request is under way.
   */
  Framing RESP = direction -> new RespScanner();

  /** That of HTTP/1.1: a request and its answer. */
  Framing HTTP = direction -> new HttpScanner();

  /** Tells nothing apart: each connection is one endless request. */
  Framing NONE = direction -> next -> false;

  /** A scanner for one direction of a new connection. */
  Scanner scanner(Direction direction);

  /** Reads one direction of one connection. */
  @FunctionalInterface
  interface Scanner {
    /**
     * Whether a request or a reply begins by this byte, given that none is under way; {@link #ends}
     * is asked about it next. What comes between them belongs to none.
     */
    default boolean begins(byte next) {
      return true;
    }

    /** Whether this byte is the last one of a request, or of a reply. */
    boolean ends(byte next);
  }
}
