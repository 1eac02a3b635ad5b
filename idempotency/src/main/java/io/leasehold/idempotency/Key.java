package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Identifies a request of one principal. Equal values of two principals are different keys, so that
 * no user can read the results of another one.
 *
 * @param principal the caller, as a user or a tenant; empty if there is only one
 * @param value the key that the client chose
 */
public record Key(String principal, String value) {
  /**
   * The longest principal and the longest value, in chars: longer ones are an attack or a mistake.
   */
  public static final int MAX_CHARS = 4096;

  /**
   * Rejects empty values and texts that are not valid.
   *
   * @throws IllegalArgumentException if the value is empty, or one of both has more than {@value
   *     #MAX_CHARS} chars or an unpaired surrogate
   */
  public Key {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("an idempotency key must not be empty");
    }
    require("idempotency key", value);
    require("principal of an idempotency key", principal);
  }

  /** A key for applications in which all callers are one principal. */
  public static Key of(String value) {
    return new Key("", value);
  }

  /** A key of a principal: {@code Key.of("alice", header)}. */
  public static Key of(String principal, String value) {
    return new Key(principal, value);
  }

  private static void require(String what, String text) {
    if (text.length() > MAX_CHARS) {
      throw new IllegalArgumentException(
          "the "
              + what
              + " has "
              + text.length()
              + " chars; at most "
              + MAX_CHARS
              + " are allowed");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException("the " + what + " has an unpaired surrogate");
    }
  }

  /**
   * The form in the store: {@code operation/principal/value}, which an operator can read; or {@code
   * #} and its SHA-256, if the key is long or {@code hashed} is set.
   */
  String scoped(String operation, boolean hashed) {
    String scoped = escaped(operation) + "/" + escaped(principal) + "/" + escaped(value);
    return hashed || scoped.codePointCount(0, scoped.length()) > IdempotencyStore.MAX_KEY
        ? "#"
            + HexFormat.of()
                .formatHex(Fingerprint.sha256().digest(scoped.getBytes(StandardCharsets.UTF_8)))
        : scoped;
  }

  /** Makes the stored forms of two different keys different. */
  private static String escaped(String text) {
    return text.replace("%", "%25").replace("/", "%2F").replace("#", "%23").replace("\0", "%00");
  }

  /** Hides the value, which may be a secret of the client. */
  @Override
  public String toString() {
    return "a key of " + value.length() + " chars";
  }
}
