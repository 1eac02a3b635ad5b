package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Task;

/** Who calls, or raises rows. */
enum IdempotencyContender implements Contender {
  /** The toolkit. */
  LEASEHOLD(IdempotencyLibrary.LEASEHOLD, "Leasehold"),
  /** Spring Integration's metadata stores. */
  SPRING(IdempotencyLibrary.SPRING, "Spring"),
  /** Two statements, and one. */
  BARE(IdempotencyLibrary.BARE, "bare"),
  /** {@code Versions}. */
  VERSION(IdempotencyLibrary.VERSION, "by version"),
  /** A lock of Leasehold, on the same database. */
  LOCK(IdempotencyLibrary.LOCK, "under a lock"),
  /** The lock of the row. */
  ROW_LOCK(IdempotencyLibrary.ROW_LOCK, "SELECT FOR UPDATE");

  private final IdempotencyLibrary library;
  private final String title;

  IdempotencyContender(IdempotencyLibrary library, String title) {
    this.library = library;
    this.title = title;
  }

  @Override
  public IdempotencyLibrary library() {
    return library;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Task connect(String name) {
    return library.raises() ? Task.sum(name, 1) : Task.calls(name, 1);
  }
}
