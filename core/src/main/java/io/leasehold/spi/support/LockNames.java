package io.leasehold.spi.support;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Checks, encodes and shortens lock names. */
public final class LockNames {
  /** The longest name, in code points. */
  public static final int MAX_CODE_POINTS = 255;

  private LockNames() {}

  /**
   * Returns the name if it is valid: 1 to 255 code points without NUL and unpaired surrogates.
   *
   * @throws IllegalArgumentException if it is not; the message says why
   */
  public static String require(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a lock name must not be empty");
    }
    int points = name.codePointCount(0, name.length());
    if (points > MAX_CODE_POINTS) {
      throw new IllegalArgumentException(
          "a lock name has at most " + MAX_CODE_POINTS + " code points, but this has " + points);
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == 0) {
        throw new IllegalArgumentException(
            "a lock name must not contain NUL, but this does at index " + i);
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "a lock name must not contain an unpaired surrogate, but this does at index " + i);
      }
    }
    return name;
  }

  /**
   * Percent-encodes a name for one part of a path: letters and digits of ASCII and {@code * - . _}
   * stay, but for a dot at the beginning.
   */
  public static String encoded(String name) {
    String all = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    return all.startsWith(".") ? "%2E" + all.substring(1) : all;
  }

  /**
   * The name that {@link #encoded} encoded.
   *
   * @throws IllegalArgumentException if it did not
   */
  public static String decoded(String part) {
    return URLDecoder.decode(part, StandardCharsets.UTF_8);
  }

  /** The SHA-256 of a text in UTF-8: 32 bytes, for servers whose keys must be short or plain. */
  public static byte[] sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return digest.digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
