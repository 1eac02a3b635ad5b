package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.jdbc.Statements;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import io.leasehold.benchmarks.runner.Mutex;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.Versions;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.springframework.integration.metadata.ConcurrentMetadataStore;

/** What is compared. */
enum IdempotencyLibrary implements Library {
  /** Itself. */
  LEASEHOLD(Idempotency.class),
  /** What its {@code IdempotentReceiver} keeps keys in; no claim ever lapses. */
  SPRING(ConcurrentMetadataStore.class),
  /** No library. */
  BARE(Connection.class),
  /** Itself. */
  VERSION(Versions.class),
  /** Itself. */
  LOCK(Idempotency.class),
  /** No library. */
  ROW_LOCK(Connection.class);

  private final Class<?> type;

  IdempotencyLibrary(Class<?> type) {
    this.type = type;
  }

  @Override
  public Class<?> type() {
    return type;
  }

  @Override
  public boolean isOurs() {
    return this == LEASEHOLD || raises();
  }

  /** Whether it raises rows; otherwise it calls. */
  boolean raises() {
    return this == VERSION || this == LOCK || this == ROW_LOCK;
  }

  @Override
  public Client connect(String url, Duration ttl) {
    boolean isSql = url.startsWith("jdbc:");
    return switch (this) {
      case LEASEHOLD -> calling(leasehold(isSql ? url + "&ddl=create&table=bench" : url));
      case SPRING -> calling(isSql ? SpringMetadata.jdbc(url) : SpringMetadata.redis(url));
      case BARE -> calling(isSql ? Bare.sql(url) : Bare.redis(url));
      case VERSION -> raising(url, RaisedRows.ByVersion::new);
      case ROW_LOCK -> raising(url, RaisedRows.ByRowLock::new);
      case LOCK -> {
        Client locks = LeaseholdClient.connect(url + "&ddl=create&table=bench", ttl);
        yield raising(url, place -> new RaisedRows.UnderLock(place, locks::mutex));
      }
    };
  }

  private static Client calling(Client.Once once) {
    return new Only() {
      @Override
      public Once once() {
        return once;
      }
    };
  }

  private static Client raising(String url, Function<RaisedRows.Place, Client.Rows> made) {
    Statements statements = new Statements(url);
    return new Only() {
      @Override
      public Rows rows(String name, int count) {
        return made.apply(new RaisedRows.Place(statements, name, count));
      }
    };
  }

  /** A client that is not asked for locks. */
  private interface Only extends Client {
    @Override
    default Mutex mutex(String name) {
      throw new UnsupportedOperationException("has no locks");
    }
  }

  /** The toolkit as its users have it. */
  private static Client.Once leasehold(String url) {
    Idempotency idempotency = Idempotency.connect(url);
    Fingerprint print = Fingerprint.of("body");
    return key -> {
      AtomicBoolean worked = new AtomicBoolean();
      idempotency.execute(
          key,
          print,
          claim -> {
            worked.set(true);
            return "done";
          });
      return worked.get();
    };
  }
}
