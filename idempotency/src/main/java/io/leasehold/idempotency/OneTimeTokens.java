package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Tokens for one use, in a hidden field of a form or in a link. They are signed: issuing a token
 * and recognizing a forged or expired one needs no request to the store, which keeps only used
 * tokens, until they would have expired. Thread-safe.
 *
 * <p>A token expires by the clock of the host that checks it. The store remembers a used token for
 * five minutes longer, so the clocks of the hosts may differ by that time.
 */
public final class OneTimeTokens {
  /** The result of consuming a token. */
  public enum Consumption {
    /**
     * This call consumed the token. Exactly one of any number of concurrent calls gets this result.
     */
    CONSUMED,
    /** The token is not signed with one of the keys. */
    UNKNOWN,
    /** Another call consumed the token before. */
    ALREADY_USED,
    /** The token has expired, used or not. */
    EXPIRED,
    /** The token was issued for another scope; it stays unused. */
    WRONG_SCOPE
  }

  /** What happens to a consumed token when its work throws an exception. */
  public enum OnFailure {
    /** The token stays used; the user needs another one. */
    BURN,
    /** The token can be used again. Use it if the work had no effect. */
    GIVE_BACK
  }

  private static final int VERSION = 1;
  private static final int SHORTEST_KEY = 32;
  private static final int ID = 16;
  private static final int SCOPE = 8;
  private static final int PAYLOAD = 1 + Long.BYTES + ID + SCOPE;
  private static final int MAC = 32;
  private static final Duration SKEW = Duration.ofMinutes(5);
  private static final Duration LONGEST = Duration.ofDays(366);

  private final IdempotencyStore store;
  private final List<byte[]> keys;
  private final Clock clock;
  private final Duration within = Duration.ofSeconds(5);
  private final SecureRandom random = new SecureRandom();

  OneTimeTokens(IdempotencyStore store, List<byte[]> keys, Clock clock) {
    this.store = store;
    this.keys = keys.stream().map(byte[]::clone).toList();
    this.clock = clock;
    if (keys.isEmpty() || keys.stream().anyMatch(key -> key.length < SHORTEST_KEY)) {
      throw new IllegalArgumentException(
          "tokens are signed with keys of " + SHORTEST_KEY + " random bytes at least");
    }
  }

  /**
   * Creates the tokens of an application.
   *
   * @param keys secrets of at least 32 random bytes, the same on all hosts: the first signs, and
   *     all are accepted. To change the key, put the new one second on every host, then first, and
   *     remove the old one when its tokens have expired
   */
  public static OneTimeTokens on(IdempotencyStore store, List<byte[]> keys) {
    return new OneTimeTokens(store, keys, new SystemClock());
  }

  /**
   * Issues a new token, without a request to the store.
   *
   * @param scope the purpose of the token, with the user who gets it: {@code "order:" + user}
   * @param ttl how long the token can be used, at most a year
   */
  public String issue(String scope, Duration ttl) {
    byte[] id = new byte[ID];
    random.nextBytes(id);
    return signed(scope, ttl, id);
  }

  private String signed(String scope, Duration ttl, byte[] id) {
    if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("a token lives for up to a year, not " + ttl);
    }
    byte[] payload =
        ByteBuffer.allocate(PAYLOAD)
            .put((byte) VERSION)
            .putLong(clock.wallMillis() + ttl.toMillis())
            .put(id)
            .put(digest(scope))
            .array();
    byte[] token =
        ByteBuffer.allocate(PAYLOAD + MAC).put(payload).put(mac(keys.get(0), payload)).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  private static byte[] digest(String scope) {
    byte[] bytes = scope.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(Fingerprint.sha256().digest(bytes), SCOPE);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] mac(byte[] key, byte[] payload) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(payload);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  /**
   * The content of a token whose signature is valid.
   *
   * @param expires the end of its life by the wall clock, in milliseconds
   * @param id its id, in hexadecimal digits
   * @param scope the digest of its scope, in hexadecimal digits
   */
  private record Read(long expires, String id, String scope) {
    String key() {
      return "token/" + id;
    }
  }

  private @Nullable Read read(String token) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(token);
    } catch (IllegalArgumentException e) {
      return null;
    }
    if (bytes.length != PAYLOAD + MAC || bytes[0] != VERSION) {
      return null;
    }
    byte[] payload = Arrays.copyOf(bytes, PAYLOAD);
    byte[] signature = Arrays.copyOfRange(bytes, PAYLOAD, bytes.length);
    boolean isOurs = false;
    for (byte[] key : keys) {
      isOurs |= MessageDigest.isEqual(mac(key, payload), signature);
    }
    if (!isOurs) {
      return null;
    }
    ByteBuffer parts = ByteBuffer.wrap(payload, 1, PAYLOAD - 1);
    long expires = parts.getLong();
    byte[] id = new byte[ID];
    byte[] scope = new byte[SCOPE];
    parts.get(id).get(scope);
    return new Read(expires, hex(id), hex(scope));
  }

  /** Checks a token without the store; returns CONSUMED if the token may be consumed. */
  private Consumption checked(String scope, @Nullable Read read) {
    if (read == null) {
      return Consumption.UNKNOWN;
    }
    if (!hex(digest(scope)).equals(read.scope())) {
      return Consumption.WRONG_SCOPE;
    }
    return read.expires() <= clock.wallMillis() ? Consumption.EXPIRED : Consumption.CONSUMED;
  }

  private Duration kept(Read read) {
    return SKEW.plusMillis(Math.max(1, read.expires() - clock.wallMillis()));
  }

  /**
   * Consumes a token before the work. One request, or none.
   *
   * @throws io.leasehold.StoreException if the store does not answer; after an unknown outcome the
   *     token may be consumed: issue a new one
   */
  public Consumption consume(String scope, String token) {
    Read read = read(token);
    Consumption checked = checked(scope, read);
    if (checked != Consumption.CONSUMED || read == null) {
      return checked;
    }
    return store.mark(read.key(), kept(read), within)
        ? Consumption.CONSUMED
        : Consumption.ALREADY_USED;
  }

  /**
   * Consumes a token and runs the work. If the process dies in between, the token stays used; with
   * {@link #consumeAfter} a policy decides.
   *
   * @throws TokenRefusedException if the token cannot be consumed
   * @throws E if the work throws it
   */
  public <T, E extends Exception> T consumeBefore(
      String scope, String token, OnFailure policy, Action<T, E> action) throws E {
    Consumption consumption = consume(scope, token);
    if (consumption != Consumption.CONSUMED) {
      throw new TokenRefusedException(consumption);
    }
    try {
      return action.run(ALONE);
    } catch (Throwable thrown) {
      if (policy == OnFailure.GIVE_BACK) {
        giveBack(token, thrown);
      }
      throw thrown;
    }
  }

  private static final Claim ALONE =
      new Claim() {
        @Override
        public long token() {
          return 1;
        }

        @Override
        public boolean isHeld() {
          return true;
        }
      };

  private void giveBack(String token, Throwable thrown) {
    try {
      boolean was = giveBack(token);
      if (!was) {
        thrown.addSuppressed(new IllegalStateException("the token was given back before"));
      }
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    }
  }

  /**
   * Makes a used token usable again, and returns whether it was used.
   *
   * @throws io.leasehold.StoreException if the store does not answer
   */
  public boolean giveBack(String token) {
    Read read = read(token);
    return read != null && store.unmark(read.key(), within);
  }

  /**
   * Runs the work under a claim of the token, which is used when the work has ended: a second
   * submission gets the result of the first one. If the process dies in between, {@link
   * IdempotentOperation#onUnknown} decides: with {@code FAIL} the token stays used, with {@code
   * RETRY} it can be used again. Keep the results of the operation for longer than tokens live.
   *
   * @throws TokenRefusedException if the token has no valid signature, has expired, or is of
   *     another scope
   * @throws E if the work throws it
   */
  public <T, E extends Exception> T consumeAfter(
      String scope, String token, IdempotentOperation<T> operation, Action<T, E> action) throws E {
    Read read = read(token);
    Consumption checked = checked(scope, read);
    if (checked != Consumption.CONSUMED || read == null) {
      throw new TokenRefusedException(checked);
    }
    return operation.execute(Key.of(read.key()), Fingerprint.of(scope), action);
  }

  /**
   * Issues a token that the store counts from the beginning, which takes one request. For stores
   * that are shared with applications that do not have the keys.
   */
  public String issueCounted(String scope, Duration ttl) {
    byte[] id = new byte[ID];
    random.nextBytes(id);
    String token = signed(scope, ttl, id);
    store.increment("counted/" + hex(id), ttl.plus(SKEW), within);
    return token;
  }

  /**
   * Consumes a token of {@link #issueCounted}: each call counts, and the call that counts two
   * consumes the token. Also returns {@code UNKNOWN} if the store has forgotten the token.
   */
  public Consumption consumeCounted(String scope, String token) {
    Read read = read(token);
    Consumption checked = checked(scope, read);
    if (checked != Consumption.CONSUMED || read == null) {
      return checked;
    }
    String key = "counted/" + read.id();
    long count = store.increment(key, kept(read), within);
    return count == 1
        ? Consumption.UNKNOWN
        : count == 2 ? Consumption.CONSUMED : Consumption.ALREADY_USED;
  }
}
