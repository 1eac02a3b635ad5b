package io.leasehold.gallery;

/**
 * A broken lock in the gallery.
 *
 * @param id its number, with a letter where an entry has several
 * @param harm what it does every time
 * @param broken the scenario with the lock as found in the wild
 * @param leasehold the same scenario with Leasehold
 */
record Exhibit(String id, String title, Harm harm, Play broken, Play leasehold) {
  /** A scenario. */
  @FunctionalInterface
  interface Play {
    void on(Stage stage) throws Exception;
  }

  /** Plays it with the lock as found in the wild. */
  Recording playBroken(Servers servers) throws Exception {
    return play(servers, broken);
  }

  /** Plays it with Leasehold. */
  Recording playLeasehold(Servers servers) throws Exception {
    return play(servers, leasehold);
  }

  private static Recording play(Servers servers, Play play) throws Exception {
    Recording recording = new Recording();
    try (Stage stage = new Stage(servers, recording)) {
      play.on(stage);
    }
    return recording;
  }

  /** Whether the lock broke as it should. */
  boolean broke(Recording recording) {
    return recording.harms().contains(harm);
  }

  /** Whether nothing bad happened. */
  static boolean held(Recording recording) {
    return recording.harms().isEmpty();
  }
}
