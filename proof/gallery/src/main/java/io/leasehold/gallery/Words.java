package io.leasehold.gallery;

import java.time.Duration;

/** How things are called in a record. */
final class Words {
  private Words() {}

  /** A duration, as 30 s. */
  static String of(Duration time) {
    if (time.equals(Duration.ofHours(1))) {
      return "1 h";
    }
    if (time.toMinutes() > 0 && time.toSecondsPart() == 0) {
      return time.toMinutes() + " min";
    }
    return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
