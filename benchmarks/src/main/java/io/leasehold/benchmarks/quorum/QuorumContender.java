package io.leasehold.benchmarks.quorum;

import io.leasehold.benchmarks.runner.Contender;

/** On three Redis servers. */
enum QuorumContender implements Contender {
  /** By URL. */
  QUORUM(QuorumLibrary.QUORUM, "quorum"),
  /** By URL. */
  SINGLE(QuorumLibrary.SINGLE, "one server"),
  /** By three factories. */
  QUORUM_LETTUCE(QuorumLibrary.QUORUM_LETTUCE, "quorum, Lettuce"),
  /** By a factory. */
  SINGLE_LETTUCE(QuorumLibrary.SINGLE_LETTUCE, "one, Lettuce"),
  /** Redisson's {@code RedissonRedLock}. */
  REDISSON(QuorumLibrary.REDISSON, "RedLock"),
  /** A majority, without a library. */
  SOCKETS(QuorumLibrary.SOCKETS, "bare sockets"),
  /** The first alone, in the same way. */
  SOCKET(QuorumLibrary.SOCKET, "one, bare socket");

  private final QuorumLibrary library;
  private final String title;

  QuorumContender(QuorumLibrary library, String title) {
    this.library = library;
    this.title = title;
  }

  @Override
  public QuorumLibrary library() {
    return library;
  }

  @Override
  public String title() {
    return title;
  }
}
