package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.Contender;

/** On ZooKeeper, etcd or Consul. */
enum SessionsContender implements Contender {
  /** On each of them. */
  LEASEHOLD(SessionsLibrary.LEASEHOLD, "Leasehold"),
  /** Curator's {@code InterProcessMutex}. */
  CURATOR(SessionsLibrary.CURATOR, "Curator"),
  /** A node for each thread that waits. */
  NODES(SessionsLibrary.NODES, "bare nodes"),
  /** jetcd's {@code Lock}, with a lease that each thread keeps. */
  JETCD(SessionsLibrary.JETCD, "jetcd"),
  /** The same with a lease for each acquisition. */
  JETCD_OWN(SessionsLibrary.JETCD_OWN, "jetcd, own lease"),
  /** {@code acquire} and {@code release}. */
  HTTP(SessionsLibrary.HTTP, "bare HTTP"),
  /** {@code acquire} until it succeeds. */
  HTTP_RETRY(SessionsLibrary.HTTP_RETRY, "acquire, retry");

  private final SessionsLibrary library;
  private final String title;

  SessionsContender(SessionsLibrary library, String title) {
    this.library = library;
    this.title = title;
  }

  @Override
  public SessionsLibrary library() {
    return library;
  }

  @Override
  public String title() {
    return title;
  }
}
