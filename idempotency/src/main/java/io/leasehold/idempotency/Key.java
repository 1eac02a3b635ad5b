package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * What identifies a request of one principal. The same value of two principals is two keys, so that
 * no user can read what another one got.
 *
 * @param principal who asks: a user, a tenant; empty if there is only one
 * @param value as the client chose it
 */
public record Key(String principal, String value) {
  /** So long may principal and value be, each, in chars: longer ones are an attack or a mistake. */
  public static final int MAX_CHARS = 4096;

  /**
   * Checks it.
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

  /** For where all callers are one principal. */
  public static Key of(String value) {
    return new Key("", value);
  }

  /** Of a principal: {@code Key.of("alice", header)}. */
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
   * As a store keeps it: {@code operation/principal/value}, so that an operator can read it; or its
   * SHA-256, behind a {@code #}, if that is asked for or the key is long.
   */
  String scoped(String operation, boolean hashed) {
    String scoped = escaped(operation) + "/" + escaped(principal) + "/" + escaped(value);
    return hashed || scoped.codePointCount(0, scoped.length()) > IdempotencyStore.MAX_KEY
        ? "#"
            + HexFormat.of()
                .formatHex(Fingerprint.sha256().digest(scoped.getBytes(StandardCharsets.UTF_8)))
        : scoped;
  }

  /** So that no two keys are written in the same way. */
  private static String escaped(String text) {
    return text.replace("%", "%25").replace("/", "%2F").replace("#", "%23").replace("\0", "%00");
  }

  /** Without what may be a secret of its client. */
  @Override
  public String toString() {
    return "a key of " + value.length() + " chars";
  }
}
