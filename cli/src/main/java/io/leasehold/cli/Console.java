package io.leasehold.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What the tool says: results on stdout, everything else on stderr as one line that begins with its
 * name.
 */
final class Console {
  private final PrintStream out = utf8(FileDescriptor.out);
  private final PrintStream err = utf8(FileDescriptor.err);
  private final boolean debug;
  private final boolean quiet;

  Console(boolean debug) {
    this(debug, false);
  }

  private Console(boolean debug, boolean quiet) {
    this.debug = debug;
    this.quiet = quiet;
  }

  /** The same without remarks. */
  Console quiet() {
    return new Console(debug, true);
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
  }

  /** A result. */
  void print(String text) {
    out.print(text);
    out.flush();
  }

  /** How a wait goes on, for a person; not said where it is to be quiet. */
  void remark(String message) {
    if (!quiet) {
      say(message);
    }
  }

  /** What a person must know. */
  void say(String message) {
    // In one write, so that the lines of several tools on one terminal do not mix
    err.print("leasehold: " + visible(message) + "\n");
    err.flush();
  }

  /** A failure, in its own words. */
  void say(Exception failure) {
    String message = failure.getMessage();
    say(
        message == null || message.isEmpty() ? failure.getClass().getSimpleName() : message,
        failure);
  }

  /** A failure: one line, and its stack only for those who debug this tool. */
  void say(String message, Exception failure) {
    say(message);
    if (debug) {
      stack(failure);
    }
  }

  /** Where a failure came from. */
  void stack(Throwable failure) {
    failure.printStackTrace(err);
    err.flush();
  }

  /** The text with everything that would move a terminal's cursor or colour it made visible. */
  static String visible(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> appendVisible(shown, c));
    return shown.toString();
  }

  private static void appendVisible(StringBuilder shown, int c) {
    if (c == '\n') {
      shown.append("\\n");
    } else if (c == '\t') {
      shown.append("\\t");
    } else if (Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || c == 0x2028
        || c == 0x2029) {
      shown.append("\\u{").append(Integer.toHexString(c)).append('}');
    } else {
      shown.appendCodePoint(c);
    }
  }
}
