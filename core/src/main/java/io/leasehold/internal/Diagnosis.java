package io.leasehold.internal;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Trait;
import io.leasehold.spi.StoreOperator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the engine and the store find out about the store. */
final class Diagnosis {
  /** A renewal has a third of the ttl; one request should take a small part of that. */
  private static final int SLOW_PART_OF_TTL = 30;

  private final Engine engine;

  Diagnosis(Engine engine) {
    this.engine = engine;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    Optional<StoreOperator> operator = engine.store.operator();
    if (operator.isPresent()) {
      findings.add(latency(operator.get()));
    }
    findings.add(fencing());
    if (operator.isPresent()) {
      findings.addAll(
          engine.calls.callAndWait(
              () -> operator.get().diagnose(engine.requestTimeout), engine.requestNanos));
    }
    return findings;
  }

  private Finding latency(StoreOperator operator) {
    long slowest = 0;
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long start = engine.clock.nanos();
      // A name that is not used: the answer is small whatever the store holds
      engine.calls.callAndWait(
          () -> operator.list(Optional.of("leasehold-doctor"), engine.requestTimeout),
          engine.requestNanos);
      long took = engine.clock.nanos() - start;
      slowest = Math.max(slowest, took);
      fastest = Math.min(fastest, took);
    }
    long limit = Durations.nanos(engine.ttl()) / SLOW_PART_OF_TTL;
    String seen = micros(fastest) + " to " + micros(slowest) + " a request";
    return slowest <= limit
        ? new Finding(Level.OK, "latency", seen)
        : new Finding(
            Level.WARNING,
            "latency",
            seen
                + ": too slow for a ttl of "
                + Durations.show(engine.ttl())
                + ", take a longer one");
  }

  private static String micros(long nanos) {
    return Durations.show(Duration.ofNanos(nanos / 1_000 * 1_000));
  }

  private Finding fencing() {
    return engine.traits.has().contains(Trait.FENCING)
        ? new Finding(Level.OK, "fencing", "every lease has a token that rises")
        : new Finding(
            Level.WARNING,
            "fencing",
            "leases have no tokens: a holder that was paused too long can overwrite newer data");
  }
}
