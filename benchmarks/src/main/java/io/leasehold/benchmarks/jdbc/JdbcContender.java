package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Contender;

/** On a database server. */
enum JdbcContender implements Contender {
  /** A row with an end. */
  LEASE(JdbcLibrary.LEASE, "Leasehold"),
  /** The server's own lock. */
  SESSION(JdbcLibrary.SESSION, "Leasehold session"),
  /** Spring Integration's {@code JdbcLockRegistry}. */
  SPRING(JdbcLibrary.SPRING, "Spring"),
  /** ShedLock's {@code JdbcTemplateLockProvider}. */
  SHEDLOCK(JdbcLibrary.SHEDLOCK, "ShedLock"),
  /** {@code GET_LOCK}, {@code pg_advisory_lock}. */
  ADVISORY(JdbcLibrary.ADVISORY, "bare GET_LOCK"),
  /** The same, and an update by who has it. */
  NUMBERED(JdbcLibrary.NUMBERED, "GET_LOCK, update"),
  /** Two updates. */
  UPDATES(JdbcLibrary.UPDATES, "two updates"),
  /** Two updates and {@code NOTIFY}. */
  NOTIFY(JdbcLibrary.NOTIFY, "updates, NOTIFY");

  private final JdbcLibrary library;
  private final String title;

  JdbcContender(JdbcLibrary library, String title) {
    this.library = library;
    this.title = title;
  }

  @Override
  public JdbcLibrary library() {
    return library;
  }

  @Override
  public String title() {
    return title;
  }
}
