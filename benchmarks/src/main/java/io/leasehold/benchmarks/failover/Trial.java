package io.leasehold.benchmarks.failover;

import static io.leasehold.benchmarks.failover.FailoverServers.PATIENCE;
import static io.leasehold.benchmarks.failover.FailoverServers.await;

import io.leasehold.benchmarks.failover.Party.Grant;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One failover after another, on three servers. Used by one thread. */
final class Trial implements AutoCloseable {
  private static final String NAME = "contested";

  /**
   * What came of a failover.
   *
   * @param first whether the first client was granted the lock
   * @param second whether the second one was
   * @param overlap whether both believed that they hold it
   * @param told whether the first learnt from its library that it lost the lock
   * @param stopped whether the data refused what the first wrote after the second
   */
  record Outcome(boolean first, boolean second, boolean overlap, boolean told, boolean stopped) {}

  private final FailoverServers servers;
  private final Duration ttl;
  private final ExecutorService caller = Executors.newSingleThreadExecutor();

  /**
   * On these servers, which it closes.
   *
   * @param ttl of the locks: a third of it is more than the second client needs to connect and ask
   */
  Trial(FailoverServers servers, Duration ttl) {
    this.servers = servers;
    this.ttl = ttl;
  }

  /** A client asks for a lock, the replica is promoted at a step of that, and another one asks. */
  Outcome run(FailoverLibrary library, Step step)
      throws SQLException, InterruptedException, ExecutionException, TimeoutException {
    servers.settle();
    try (Party first = library.connect(servers.url(), ttl)) {
      warmUp(first);
      step.prepare(servers, NAME);
      int sent = servers.requests();
      Future<Optional<Grant>> asked = caller.submit(() -> first.tryAcquire(NAME));
      await("step " + step + " of " + library, () -> step.isReached(servers, NAME, sent, asked));
      servers.failOver();
      try (Party second = library.connect(servers.url(), ttl)) {
        Optional<Grant> theirs = second.tryAcquire(NAME);
        Optional<Grant> mine = asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return judge(mine, theirs);
      }
    } finally {
      servers.rejoin();
    }
  }

  /** So that a grant is one request: connections are open, and scripts are loaded. */
  private void warmUp(Party party)
      throws InterruptedException, ExecutionException, TimeoutException {
    caller
        .submit(() -> party.tryAcquire("other").orElseThrow().release().run())
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static Outcome judge(Optional<Grant> mine, Optional<Grant> theirs)
      throws SQLException, InterruptedException, ExecutionException {
    boolean overlap = isBelieved(mine) && isBelieved(theirs);
    boolean stopped = overlap && isStopped(mine.orElseThrow(), theirs.orElseThrow());
    Optional<CompletableFuture<Void>> word = mine.flatMap(Grant::told);
    // With the next renewal; without an overlap there should be none
    boolean told =
        word.isPresent() && comes(word.orElseThrow(), overlap ? PATIENCE : Duration.ZERO);
    return new Outcome(mine.isPresent(), theirs.isPresent(), overlap, told, stopped);
  }

  private static boolean comes(Future<Void> word, Duration within)
      throws InterruptedException, ExecutionException {
    try {
      word.get(within.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private static boolean isBelieved(Optional<Grant> grant) {
    return grant.filter(each -> each.isBelieved().getAsBoolean()).isPresent();
  }

  private static boolean isStopped(Grant first, Grant second) throws SQLException {
    try (FencedData data = new FencedData()) {
      return data.write(second.token()) && !data.write(first.token());
    }
  }

  @Override
  public void close() {
    caller.shutdownNow();
    servers.close();
  }
}
