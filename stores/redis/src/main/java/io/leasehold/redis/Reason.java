package io.leasehold.redis;

import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What a message says of an exception: client libraries hide what went wrong deep inside. */
final class Reason {
  private Reason() {}

  /** Its own message, and that of its deepest cause. */
  static String of(Throwable e) {
    Throwable deepest = e;
    for (Throwable next = below(e); next != null; next = below(next)) {
      deepest = next;
    }
    String own = String.valueOf(e.getMessage());
    String cause = text(deepest);
    return own.contains(cause) ? own : own + " (" + cause + ")";
  }

  /** Of several addresses that were tried the last. */
  private static @Nullable Throwable below(Throwable e) {
    if (e.getCause() != null) {
      return e.getCause();
    }
    Throwable[] tried = e.getSuppressed();
    return tried.length == 0 ? null : tried[tried.length - 1];
  }

  private static String text(Throwable e) {
    String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return e instanceof UnknownHostException ? "unknown host " + text : text;
  }
}
