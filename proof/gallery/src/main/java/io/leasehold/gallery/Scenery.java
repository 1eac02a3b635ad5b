package io.leasehold.gallery;

import java.time.Duration;

/** A store in a play. */
interface Scenery {
  /** A client of Leasehold on it. */
  LeaseholdClient leasehold(String name);

  /** Time passes by the server's clock. */
  void passes(Duration time);
}
