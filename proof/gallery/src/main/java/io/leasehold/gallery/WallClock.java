package io.leasehold.gallery;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** What the clocks of the clients show, in milliseconds; only the script moves it. */
final class WallClock {
  private final Stage stage;
  private final AtomicLong now = new AtomicLong(1_000_000);

  WallClock(Stage stage) {
    this.stage = stage;
  }

  /** The clock of a client that is right. */
  LongSupplier right() {
    return now::get;
  }

  /** The clock of a client that is ahead. */
  LongSupplier ahead(Duration by) {
    return () -> now.get() + by.toMillis();
  }

  void passes(Duration time) {
    passesUnseen(time);
    stage.world(Words.of(time) + " pass");
  }

  void passesUnseen(Duration time) {
    now.addAndGet(time.toMillis());
  }
}
