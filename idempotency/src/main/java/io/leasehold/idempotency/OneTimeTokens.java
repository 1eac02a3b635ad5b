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
 * Tokens that can be used once: in a hidden field of a form, in a link. They are signed, so issuing
 * one asks the store nothing, forged and expired ones are told apart without it, and only used ones
 * are stored, until they would have expired. Thread-safe.
 *
 * <p>A token expires by the clock of the host that looks at it. A used one is remembered for five
 * minutes more, so clocks of hosts may differ by that.
 */
public final class OneTimeTokens {
  /** What became of a token that was to be consumed. */
  public enum Consumption {
    /** It is the caller's: of any number of concurrent callers one gets this. */
    CONSUMED,
    /** No key of ours signed it. */
    UNKNOWN,
    /** Another call consumed it. */
    ALREADY_USED,
    /** Its time is over, used or not. */
    EXPIRED,
    /** It was issued for another scope, and stays unused. */
    WRONG_SCOPE
  }

  /** What becomes of a consumed token whose work throws an exception. */
  public enum OnFailure {
    /** It stays used: the user needs another one. */
    BURN,
    /** It can be used again. Right if the work had no effect. */
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
   * Tokens of an application.
   *
   * @param keys secrets of at least 32 random bytes, the same on all hosts: the first signs, all
   *     are accepted. To change the key put the new one second everywhere, then first, and remove
   *     the old one when its tokens have expired
   */
  public static OneTimeTokens on(IdempotencyStore store, List<byte[]> keys) {
    return new OneTimeTokens(store, keys, new SystemClock());
  }

  /**
   * A new token; asks the store nothing.
   *
   * @param scope what it is good for, with whom it is given to: {@code "order:" + user}
   * @param ttl up to a year
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
   * What a token says, if it is ours.
   *
   * @param expires by the wall clock, in milliseconds
   * @param id in hexadecimal digits
   * @param scope its digest, likewise
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

  /** Without the store; CONSUMED if it may be consumed. */
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
   * Consumes a token before the work: one request, or none.
   *
   * @throws io.leasehold.StoreException if the store does not answer; with an unknown outcome it
   *     may be consumed: ask for a new one
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
   * Consumes a token and does the work. If the process dies in between the token is burnt; {@link
   * #consumeAfter} leaves that to a policy.
   *
   * @throws TokenRefusedException if it cannot be consumed
   * @throws E what the work throws
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
   * Makes a used token usable again; whether it was used.
   *
   * @throws io.leasehold.StoreException if the store does not answer
   */
  public boolean giveBack(String token) {
    Read read = read(token);
    return read != null && store.unmark(read.key(), within);
  }

  /**
   * Does the work under a claim of the token, which is used up when the work has ended: a second
   * submission gets the first one's result. If the process dies in between, {@link
   * IdempotentOperation#onUnknown} decides: {@code FAIL} burns the token, {@code RETRY} gives it
   * back. Keep the operation's results for longer than tokens live.
   *
   * @throws TokenRefusedException if the token is not ours, expired, or of another scope
   * @throws E what the work throws
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
   * A new token of the counter way, which the store knows from the beginning: to issue it is a
   * request. For stores that are shared with who does not have the keys.
   */
  public String issueCounted(String scope, Duration ttl) {
    byte[] id = new byte[ID];
    random.nextBytes(id);
    String token = signed(scope, ttl, id);
    store.increment("counted/" + hex(id), ttl.plus(SKEW), within);
    return token;
  }

  /**
   * Consumes a token of {@link #issueCounted}: each call counts, and the one that comes to two has
   * it. Also {@code UNKNOWN} where the store has forgotten it.
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
