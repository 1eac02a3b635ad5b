package io.leasehold.idempotency.servlet;

import java.util.List;

/** Reads the header field {@code Idempotency-Key}: a string of RFC 8941, or a bare word. */
final class HeaderKey {
  /** As other services have it; a UUID has 36. */
  static final int MAX_CHARS = 255;

  private HeaderKey() {}

  /**
   * The key of the lines of the field. A quoted key and the same one bare are the same key.
   *
   * @throws IllegalArgumentException if it is not one key; the message can be shown to the client,
   *     and does not quote it
   */
  static String parse(List<String> lines) {
    if (lines.size() != 1) {
      throw new IllegalArgumentException("it is there " + lines.size() + " times; send it once");
    }
    String text = strip(lines.get(0));
    String key = text.startsWith("\"") ? unquoted(text) : bare(text);
    if (key.isEmpty()) {
      throw new IllegalArgumentException("it is empty");
    }
    if (key.length() > MAX_CHARS) {
      throw new IllegalArgumentException(
          "it has " + key.length() + " characters; at most " + MAX_CHARS + " are allowed");
    }
    return key;
  }

  /** Of the white space of HTTP alone: what Java strips besides is part of a hostile key. */
  private static String strip(String line) {
    int start = 0;
    int end = line.length();
    while (start < end && isBlank(line.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(line.charAt(end - 1))) {
      end--;
    }
    return line.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static String unquoted(String text) {
    StringBuilder key = new StringBuilder(text.length());
    int i = 1;
    while (i < text.length() && text.charAt(i) != '"') {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
        c = i < text.length() ? text.charAt(i) : 0;
        if (c != '"' && c != '\\') {
          throw new IllegalArgumentException("in quotes a backslash stands before \" or \\ alone");
        }
      }
      requirePrintable(c);
      key.append(c);
      i++;
    }
    if (i >= text.length()) {
      throw new IllegalArgumentException("its closing quote is missing");
    }
    if (i != text.length() - 1) {
      throw new IllegalArgumentException("something follows its closing quote");
    }
    return key.toString();
  }

  private static String bare(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      requirePrintable(c);
      if (" \",;\\".indexOf(c) >= 0) {
        throw new IllegalArgumentException(
            "a key with a space or one of \" , ; \\ must be quoted: \"a key\"");
      }
    }
    return text;
  }

  private static void requirePrintable(char c) {
    if (c < ' ' || c > '~') {
      throw new IllegalArgumentException("it has a character that is not printable ASCII");
    }
  }
}
