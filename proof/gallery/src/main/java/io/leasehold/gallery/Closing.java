package io.leasehold.gallery;

/** Ends what a play or the gallery has opened. */
final class Closing {
  private Closing() {}

  /** Closes all, also if one of them fails. */
  static void all(Iterable<AutoCloseable> resources) {
    IllegalStateException failure = new IllegalStateException("not all could be closed");
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
