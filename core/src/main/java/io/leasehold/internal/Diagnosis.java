package io.leasehold.internal;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.support.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What the engine and the store find out about the store. */
final class Diagnosis {
  /** A renewal has a third of the ttl; one request should take a small part of that. */
  private static final int SLOW_PART_OF_TTL = 30;

  private final Engine engine;

  Diagnosis(Engine engine) {
    this.engine = engine;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(List.of(traits(), ttl()));
    findings.add(latency());
    findings.add(fencing());
    findings.addAll(ask(() -> engine.store.diagnose(engine.requestTimeout)));
    return findings;
  }

  private <T> T ask(Supplier<CompletionStage<T>> request) {
    return engine.calls.callAndWait(request, engine.requestNanos);
  }

  /** A small request: of an operator about a name that is not used, or else a diagnosis. */
  private void ask() {
    Optional<StoreOperator> operator = engine.store.operator();
    if (operator.isPresent()) {
      Optional<String> name = Optional.of("leasehold-doctor");
      ask(() -> operator.get().list(name, engine.requestTimeout));
    } else {
      ask(() -> engine.store.diagnose(engine.requestTimeout));
    }
  }

  private Finding traits() {
    List<Trait> has = new ArrayList<>();
    List<Trait> lacks = new ArrayList<>();
    for (Trait trait : Trait.values()) {
      (engine.traits.has().contains(trait) ? has : lacks).add(trait);
    }
    return new Finding(
        Level.OK,
        "traits",
        "the " + engine.traits.store() + " store has " + words(has) + "; it lacks " + words(lacks));
  }

  private static String words(List<Trait> traits) {
    return traits.isEmpty()
        ? "none"
        : traits.stream().map(Enum::name).collect(Collectors.joining(", "));
  }

  private Finding ttl() {
    return new Finding(
        Level.OK,
        "ttl",
        Durations.show(engine.traits.minTtl())
            + " to "
            + Durations.show(engine.traits.maxTtl())
            + " in steps of "
            + Durations.show(engine.traits.ttlStep())
            + "; "
            + Durations.show(engine.ttl())
            + " where none is chosen");
  }

  private Finding latency() {
    long slowest = 0;
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long start = engine.clock.nanos();
      try {
        ask();
      } catch (StoreException e) {
        return new Finding(Level.ERROR, "latency", "a request failed: " + e.getMessage());
      }
      long took = engine.clock.nanos() - start;
      slowest = Math.max(slowest, took);
      fastest = Math.min(fastest, took);
    }
    long limit = Durations.nanos(engine.ttl()) / SLOW_PART_OF_TTL;
    String seen = millis(fastest) + " to " + millis(slowest) + " ms a request";
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

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
  }

  private Finding fencing() {
    return engine.traits.has().contains(Trait.FENCING)
        ? new Finding(Level.OK, "fencing", "every lease has a token that rises")
        : new Finding(
            Level.WARNING,
            "fencing",
            "leases have no tokens: a holder that was paused too long can overwrite newer data");
  }

  /**
   * The store knows the holder that took a lease. The one that has it since it was handed over
   * inside this process is known here alone, and put into what this client lists.
   */
  static List<LockSnapshot> withHoldersHere(List<LockSnapshot> found, LeaseKeeper keeper) {
    return found.stream()
        .map(
            lock ->
                new LockSnapshot(
                    lock.name(),
                    lock.holders().stream().map(holder -> current(holder, keeper)).toList(),
                    lock.waiters()))
        .toList();
  }

  private static Holder current(Holder known, LeaseKeeper keeper) {
    return id(known)
        .map(keeper::find)
        .map(grant -> grant.queue.compute(steps -> grant.holder()))
        .map(
            holder ->
                new Holder(
                    known.leaseId(),
                    holder,
                    known.mode(),
                    known.permits(),
                    known.fencingToken(),
                    known.heldFor(),
                    known.remaining()))
        .orElse(known);
  }

  /** Empty if it is not one of a client's: it may have been written into the store by hand. */
  private static Optional<LeaseId> id(Holder known) {
    try {
      return Optional.of(LeaseId.parse(known.leaseId()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
