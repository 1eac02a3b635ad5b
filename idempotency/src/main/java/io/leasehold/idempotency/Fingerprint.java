package io.leasehold.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The SHA-256 of a request, which tells two requests with the same key apart. Two calls with one
 * key and different fingerprints are an error of the client. Immutable.
 */
public final class Fingerprint {
  private static final Fingerprint NONE = new Fingerprint("");

  private final String hex;

  private Fingerprint(String hex) {
    this.hex = hex;
  }

  /**
   * The fingerprint of calls that their key identifies completely; different from every other
   * fingerprint.
   */
  public static Fingerprint none() {
    return NONE;
  }

  /** The fingerprint of bytes, for example of the body of a request. */
  public static Fingerprint of(byte[] bytes) {
    return new Fingerprint(HexFormat.of().formatHex(sha256().digest(bytes)));
  }

  /**
   * The fingerprint of texts, as {@code of(method, path, body)}. The boundaries between the texts
   * count: {@code of("a", "b")} is different from {@code of("ab")}.
   */
  public static Fingerprint of(String... texts) {
    MessageDigest digest = sha256();
    for (String text : texts) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_16BE);
      digest.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
      digest.update(bytes);
    }
    return new Fingerprint(HexFormat.of().formatHex(digest.digest()));
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  String hex() {
    return hex;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fingerprint that && hex.equals(that.hex);
  }

  @Override
  public int hashCode() {
    return hex.hashCode();
  }

  /** The hexadecimal digits; empty for {@link #none()}. */
  @Override
  public String toString() {
    return hex;
  }
}
