package io.leasehold.cli;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What Linux tells of a process in {@code /proc}. Read without channels, which an interrupt would
 * close.
 */
final class LinuxProcess {
  private LinuxProcess() {}

  /**
   * Its environment as it began, a zero before and after each variable; none if it is gone, a
   * zombie, or of another user. The bytes stand as characters.
   */
  static String environment(String pid) {
    return "\0" + read("/proc/" + pid + "/environ");
  }

  /** Whether it has ended and only waits for its parent to look. */
  static boolean isZombie(long pid) {
    String[] fields = fields(Long.toString(pid));
    return fields.length > 0 && (fields[0].equals("Z") || fields[0].equals("X"));
  }

  /** Whether this file descriptor of this process is a terminal. */
  static boolean isTerminal(int descriptor) {
    try {
      String file = new File("/proc/self/fd/" + descriptor).getCanonicalPath();
      return file.startsWith("/dev/pts/")
          || file.startsWith("/dev/tty")
          || file.equals("/dev/console");
    } catch (IOException e) {
      return false;
    }
  }

  /** How this process stands to its terminal, now. */
  static Terminal terminal() {
    // state ppid pgrp session tty tpgid
    String[] fields = fields("self");
    if (fields.length < 6) {
      return new Terminal(false, false, false);
    }
    boolean leads = fields[3].equals(Long.toString(ProcessHandle.current().pid()));
    return new Terminal(!fields[4].equals("0"), fields[2].equals(fields[5]), leads);
  }

  /**
   * A process and its terminal.
   *
   * @param isThere whether it has one
   * @param isForeground whether it is in the group to which the kernel sends what is typed there
   * @param leads whether it leads the session, and alone gets the HUP of a terminal that goes away
   */
  record Terminal(boolean isThere, boolean isForeground, boolean leads) {}

  /**
   * What stands behind the name in {@code stat}; the name may hold anything, so the last
   * parenthesis counts.
   */
  private static String[] fields(String pid) {
    String stat = read("/proc/" + pid + "/stat");
    int end = stat.lastIndexOf(") ");
    return end < 0 ? new String[0] : stat.substring(end + 2).split(" ");
  }

  private static String read(String path) {
    try (InputStream in = new FileInputStream(path)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
