package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.redis.RedisScripts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims and marks as keys of a Redis or Valkey server: one a claim, which ends by itself. Each
 * verb is one script. Thread-safe.
 */
final class RedisIdempotencyStore implements IdempotencyStore {
  private static final RedisScripts.Text CLAIM = script("claim");
  private static final RedisScripts.Text EXTEND = script("extend");
  private static final RedisScripts.Text COMPLETE = script("complete");
  private static final RedisScripts.Text RELEASE = script("release");
  private static final RedisScripts.Text MARK = script("mark");
  private static final RedisScripts.Text MARKED = script("marked");
  private static final int MOST_KEYS = 500;

  private final RedisScripts scripts;

  RedisIdempotencyStore(RedisScripts scripts) {
    this.scripts = scripts;
  }

  private static RedisScripts.Text script(String name) {
    String file = "redis/" + name + ".lua";
    try (InputStream in = RedisIdempotencyStore.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing from the jar");
      }
      return new RedisScripts.Text(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read from the jar", e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] number(long number) {
    return bytes(Long.toString(number));
  }

  /** Not 0, which would delete a key at once. */
  private static byte[] millis(Duration time) {
    return number(Math.max(time.isZero() ? 0 : 1, time.toMillis()));
  }

  private List<byte[]> claimKey(String key) {
    return List.of(bytes(scripts.prefix() + "claim:" + key));
  }

  private byte[] markKey(String key) {
    return bytes(scripts.prefix() + "mark:" + key);
  }

  private boolean isOne(
      RedisScripts.Text script, List<byte[]> keys, Duration within, byte[]... arguments) {
    return count(script, keys, within, arguments) == 1;
  }

  private long count(
      RedisScripts.Text script, List<byte[]> keys, Duration within, byte[]... arguments) {
    return number(scripts.run(script, keys, List.of(arguments), within));
  }

  private static long number(@Nullable Object reply) {
    return reply instanceof Long number ? number : Long.parseLong(text(reply));
  }

  private static String text(@Nullable Object reply) {
    return new String(raw(reply), StandardCharsets.UTF_8);
  }

  private static byte[] raw(@Nullable Object reply) {
    return (byte[]) Objects.requireNonNull(reply, "the server answered nothing");
  }

  private static List<?> list(@Nullable Object reply) {
    return (List<?>) Objects.requireNonNull(reply, "the server answered nothing");
  }

  @Override
  public ClaimAnswer claim(ClaimRequest request, Duration within) {
    Intent intent = request.intent();
    String word = intent == Intent.CLAIM ? "claim" : intent == Intent.LOOK ? "look" : "take";
    List<?> answer =
        list(
            scripts.run(
                CLAIM,
                claimKey(request.key()),
                List.of(
                    bytes(request.owner()),
                    bytes(request.fingerprint()),
                    bytes(word),
                    millis(request.life()),
                    millis(request.keep())),
                within));
    return switch ((int) number(answer.get(0))) {
      case 1 -> new ClaimAnswer.Claimed(number(answer.get(1)), number(answer.get(2)) == 1);
      case 2 -> new ClaimAnswer.Running(Duration.ofMillis(number(answer.get(1))));
      case 3 ->
          new ClaimAnswer.Finished(
              new Outcome(Outcome.Kind.valueOf(text(answer.get(1))), raw(answer.get(2))));
      case 4 -> new ClaimAnswer.Lapsed(number(answer.get(1)));
      case 5 -> new ClaimAnswer.OtherFingerprint();
      default -> new ClaimAnswer.Absent();
    };
  }

  @Override
  public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
    return isOne(
        EXTEND,
        claimKey(claim.key()),
        within,
        bytes(claim.owner()),
        number(claim.token()),
        millis(life),
        millis(keep));
  }

  @Override
  public boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within) {
    return isOne(
        COMPLETE,
        claimKey(claim.key()),
        within,
        bytes(claim.owner()),
        number(claim.token()),
        bytes(outcome.kind().name()),
        outcome.bytes(),
        millis(keep));
  }

  @Override
  public boolean release(String key, String owner, boolean evenTakenOver, Duration within) {
    return isOne(RELEASE, claimKey(key), within, bytes(owner), bytes(evenTakenOver ? "1" : "0"));
  }

  @Override
  public boolean forget(String key, Duration within) {
    return isOne(RELEASE, claimKey(key), within, bytes("any"), bytes("1"));
  }

  @Override
  public boolean mark(String key, Duration keep, Duration within) {
    return isOne(MARK, List.of(markKey(key)), within, bytes("mark"), millis(keep));
  }

  @Override
  public long increment(String key, Duration keep, Duration within) {
    return count(MARK, List.of(markKey(key)), within, bytes("count"), millis(keep));
  }

  @Override
  public boolean unmark(String key, Duration within) {
    return isOne(MARK, List.of(markKey(key)), within, bytes("unmark"), bytes("0"));
  }

  @Override
  public Set<String> marked(List<String> keys, Duration within) {
    Set<String> marked = new HashSet<>();
    for (int i = 0; i < keys.size(); i += MOST_KEYS) {
      List<String> some = keys.subList(i, Math.min(keys.size(), i + MOST_KEYS));
      List<byte[]> asked = new ArrayList<>();
      some.forEach(key -> asked.add(markKey(key)));
      List<?> found = list(scripts.run(MARKED, asked, List.of(), within));
      for (int j = 0; j < some.size(); j++) {
        if (number(found.get(j)) == 1) {
          marked.add(some.get(j));
        }
      }
    }
    return marked;
  }

  /** Keys end by themselves. */
  @Override
  public int purge(int most, Duration within) {
    return 0;
  }

  @Override
  public void close() {
    scripts.close();
  }
}
