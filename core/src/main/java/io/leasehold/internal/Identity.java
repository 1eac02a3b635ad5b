package io.leasehold.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Who this process is, for people: host and process id. Asks no name service, which can be slow.
 */
final class Identity {
  private Identity() {}

  static String process() {
    return host() + "/" + ProcessHandle.current().pid();
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
