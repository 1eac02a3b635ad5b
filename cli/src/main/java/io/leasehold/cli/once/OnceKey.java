package io.leasehold.cli.once;

import io.leasehold.StoreException;
import io.leasehold.idempotency.Action;
import io.leasehold.idempotency.AfterException;
import io.leasehold.idempotency.Codec;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.WhileRunning;
import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.IdempotencyStore;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A key in the store: the outcome of its command, and, while there is none, the note that the
 * command began.
 */
public final class OnceKey implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(OnceKey.class.getName());

  /** The note outlives a claim, however long its command runs. */
  private static final Duration MORE_THAN_A_RUN = Duration.ofDays(365);

  private static final String NOBODY = "0".repeat(32);
  private static final int PURGED_AT_ONCE = 100;

  private final IdempotencyStore store;
  private final Settings settings;
  private final Key key;
  private final Idempotency idempotency;
  private final IdempotentOperation<Recorded> runs;
  private final IdempotentOperation<String> begins;

  /**
   * What a call may say.
   *
   * @param keep how long the outcome is kept
   * @param claimLife how long a claim outlives its process
   * @param requestTimeout how long the store may take
   */
  public record Settings(Duration keep, Duration claimLife, Duration requestTimeout) {}

  /**
   * In a store, which is closed with it.
   *
   * @throws IllegalArgumentException if the key or a setting is out of bounds
   */
  public OnceKey(IdempotencyStore store, String key, Settings settings) {
    this.store = store;
    this.settings = settings;
    this.key = Key.of(key);
    this.idempotency =
        Idempotency.builder(store)
            .claimLife(settings.claimLife)
            .keep(settings.keep)
            .requestTimeout(settings.requestTimeout)
            .maxResult(Recorded.MOST_BYTES)
            .build();
    this.runs = idempotency.operation("once", Recorded.CODEC);
    this.begins =
        idempotency
            .operation("once-began", Codec.TEXT)
            .keep(min(settings.keep.plus(MORE_THAN_A_RUN), IdempotencyStore.FOREVER));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /**
   * The recorded outcome; if there is none, that of the action.
   *
   * @param releases the exceptions of an action that has done nothing, or is to be done again
   */
  public <E extends Exception> Recorded execute(
      Fingerprint print,
      WhileRunning whileRunning,
      Predicate<Throwable> releases,
      Action<Recorded, E> action)
      throws E {
    return runs.whileRunning(whileRunning)
        .afterException(e -> releases.test(e) ? AfterException.RELEASE : AfterException.UNKNOWN)
        .execute(key, print, action);
  }

  /** Notes that the command begins. */
  public void note(Begin begin) {
    // One of an earlier claim would be replayed
    begins.forget(key);
    begins.execute(key, Fingerprint.none(), claim -> begin.asText());
  }

  /** Where and when the command began whose outcome is not recorded; empty if that is not known. */
  public Optional<Begin> begin() {
    return look(begins.scoped(key), "") instanceof ClaimAnswer.Finished noted
        ? Begin.parse(new String(noted.outcome().bytes(), StandardCharsets.UTF_8))
        : Optional.empty();
  }

  /**
   * How long the claim of the command that began so lives unless it is extended; empty if it has
   * none.
   */
  public Optional<Duration> running(Begin begin) {
    return look(runs.scoped(key), begin.fingerprint()) instanceof ClaimAnswer.Running claim
        ? Optional.of(claim.remaining())
        : Optional.empty();
  }

  private ClaimAnswer look(String stored, String fingerprint) {
    return store.claim(
        new ClaimRequest(
            stored,
            NOBODY,
            fingerprint,
            ClaimRequest.Intent.LOOK,
            settings.claimLife,
            settings.keep),
        settings.requestTimeout);
  }

  /** Forgets what is known of it; whether anything was. */
  public boolean forget() {
    boolean wasKnown = runs.forget(key);
    begins.forget(key);
    return wasKnown;
  }

  /**
   * After a run: takes its note away, and a few outcomes that are over, of any key. What fails here
   * is left to the next run.
   */
  public void tidy() {
    try {
      begins.forget(key);
      store.purge(PURGED_AT_ONCE, settings.requestTimeout);
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "what is over was not deleted", e);
    }
  }

  @Override
  public void close() {
    idempotency.close();
  }
}
