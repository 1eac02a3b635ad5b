package io.leasehold.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who this process is, for people: host and process id. Asks no name service, which can be slow.
 */
final class Identity {
  private final String process = host() + "/" + ProcessHandle.current().pid();
  private final String async = process + "/async";

  /** The last thread asked about: one that locks in a loop makes its text once. */
  private volatile Named last = new Named("", "");

  private record Named(String thread, String holder) {}

  /** Who takes a lock: host, process id, and thread. */
  String holder(@Nullable Thread thread) {
    if (thread == null) {
      return async;
    }
    String name = thread.getName();
    Named named = last;
    if (!named.thread.equals(name)) {
      named = new Named(name, process + "/" + name);
      last = named;
    }
    return named.holder;
  }

  private static String host() {
    Path kernel = Path.of("/proc/sys/kernel/hostname");
    try {
      if (Files.isReadable(kernel)) {
        return Files.readString(kernel).trim();
      }
    } catch (IOException e) {
      Log.warn("cannot read " + kernel + ": " + e);
    }
    String named = System.getenv("HOSTNAME");
    if (named == null) {
      named = System.getenv("COMPUTERNAME");
    }
    return named == null || named.isBlank() ? "localhost" : named;
  }
}
