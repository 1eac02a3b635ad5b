package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Finished;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.jdbc.SqlTables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Claims and marks as rows of a database. Thread-safe. */
final class SqlIdempotencyStore implements IdempotencyStore {
  private static final int MOST_KNOWN = 10_000;
  private static final int MOST_NAMES = 500;

  private final SqlTables tables;
  private final boolean isFile;
  private final boolean tellsRowAtOnce;

  /**
   * Keys that this process has seen claimed, which it asks about first; where that saves a
   * statement.
   */
  private final Set<String> known =
      java.util.Collections.newSetFromMap(
          java.util.Collections.synchronizedMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > MOST_KNOWN;
                }
              }));

  SqlIdempotencyStore(SqlTables tables) {
    this.tables = tables;
    this.isFile = tables.place().product().equals("sqlite");
    this.tellsRowAtOnce =
        SqlText.of(tables.place()).inserting() == SqlText.Inserting.ANSWERS_WITH_ROW;
  }

  /** What is done with claims. */
  private interface Verb<T> {
    T run(SqlClaims claims) throws SQLException;
  }

  private <T> T call(Duration within, Verb<T> verb) {
    return tables.call(within, statements -> verb.run(new SqlClaims(statements)));
  }

  private <T> T read(Duration within, Verb<T> verb) {
    return tables.read(within, statements -> verb.run(new SqlClaims(statements)));
  }

  @Override
  public ClaimAnswer claim(ClaimRequest request, Duration within) {
    if (request.intent() == Intent.LOOK) {
      return read(within, claims -> claims.claim(request, true));
    }
    if (isFile) {
      // A replay does not wait for those who write
      ClaimAnswer seen = read(within, claims -> claims.claim(looking(request), true));
      if (seen instanceof Finished || seen instanceof ClaimAnswer.OtherFingerprint) {
        return seen;
      }
      return call(within, claims -> claims.claim(request, false));
    }
    boolean isKnown = !tellsRowAtOnce && known.contains(request.key());
    ClaimAnswer answer = call(within, claims -> claims.claim(request, isKnown));
    if (!tellsRowAtOnce) {
      known.add(request.key());
    }
    return answer;
  }

  private static ClaimRequest looking(ClaimRequest r) {
    return new ClaimRequest(r.key(), r.owner(), r.fingerprint(), Intent.LOOK, r.life(), r.keep());
  }

  @Override
  public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
    return call(within, claims -> claims.extend(claim, life, keep));
  }

  @Override
  public boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within) {
    return call(within, claims -> claims.complete(claim, outcome, keep));
  }

  @Override
  public boolean release(String key, String owner, boolean evenTakenOver, Duration within) {
    return call(within, claims -> claims.release(key, owner, evenTakenOver));
  }

  @Override
  public boolean forget(String key, Duration within) {
    return call(within, claims -> claims.forget(key));
  }

  @Override
  public boolean mark(String key, Duration keep, Duration within) {
    return call(within, claims -> claims.mark(key, keep));
  }

  @Override
  public long increment(String key, Duration keep, Duration within) {
    return call(within, claims -> claims.increment(key, keep));
  }

  @Override
  public boolean unmark(String key, Duration within) {
    return call(within, claims -> claims.unmark(key));
  }

  @Override
  public Set<String> marked(List<String> keys, Duration within) {
    Set<String> marked = new HashSet<>();
    for (int i = 0; i < keys.size(); i += MOST_NAMES) {
      List<String> some = keys.subList(i, Math.min(keys.size(), i + MOST_NAMES));
      marked.addAll(read(within, claims -> claims.marked(some)));
    }
    return marked;
  }

  @Override
  public int purge(int most, Duration within) {
    return call(within, claims -> claims.purge(most));
  }

  @Override
  public void close() {
    tables.close();
  }
}
