package io.leasehold.testkit.contract;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.Trait;
import io.leasehold.internal.Engine;
import io.leasehold.internal.Engine.Ledger;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Traits;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.FaultyStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * A store as the contract sees it: every client over a {@link FaultyStore}. What the store declares
 * not to have counts as lacking; restarts are lacking unless they are overridden.
 */
public class StoreFixture implements ContractFixture {
  /** A client in doubt withdraws until its time to close is over, where nothing is ever final. */
  private static final Duration CLOSE_IN_DOUBT = Duration.ofMillis(700);

  private final StoreFactory factory;
  private final UnaryOperator<StoreFactory> outside;
  private final Traits traits;
  private final Map<Ability, String> lacking = new EnumMap<>(Ability.class);
  private final Map<LockClient, FaultyStore> faults = new ConcurrentHashMap<>();

  /** Over what this opens. It is opened once at first, to see its traits. */
  public StoreFixture(StoreFactory factory) {
    this(factory, UnaryOperator.identity());
  }

  /**
   * Over what this opens.
   *
   * @param outside wraps the faulty store: what a client library does to requests and replies
   */
  public StoreFixture(StoreFactory factory, UnaryOperator<StoreFactory> outside) {
    this.factory = factory;
    this.outside = outside;
    try (LockStore store = factory.open(new DeafListener())) {
      this.traits = store.traits();
      if (store.operator().isEmpty()) {
        without(Ability.LIST, "the store keeps no list");
        without(Ability.REMAINING, "the store keeps no list");
        without(Ability.BREAK, "the store keeps no list");
      }
    }
    if (!traits.has().contains(Trait.FENCING)) {
      without(Ability.FENCING, "the store has no fencing tokens");
      without(Ability.BREAK, "the store has no fencing tokens");
    }
    if (!traits.has().contains(Trait.FIFO)) {
      without(Ability.FAIR, "the store keeps no queue");
    }
    if (traits.poll().signals() == Traits.Signals.NONE) {
      without(Ability.SIGNALS, "the store wakes no waiter");
    }
    if (traits.life().ends() == Traits.Ends.SESSION) {
      without(Ability.MIN_HOLD, "leases end with the session of their client");
    }
    if (!traits.modes().contains(LockMode.SHARED)) {
      without(Ability.SHARED, "the store has no read locks");
    }
    if (!traits.modes().contains(LockMode.PERMITS)) {
      without(Ability.PERMITS, "the store has no semaphores");
    }
    without(Ability.RESTART, "this fixture cannot restart the store");
    without(Ability.RESTART_EMPTY, "this fixture cannot restart the store");
  }

  /** Says that this cannot be done, and why. */
  public final StoreFixture without(Ability ability, String reason) {
    lacking.put(ability, reason);
    return this;
  }

  /** Says that this can be done. */
  public final StoreFixture with(Ability ability) {
    lacking.remove(ability);
    return this;
  }

  @Override
  public final LockClient open(ClientSettings settings) {
    FaultyStore faulty = new FaultyStore(factory);
    ClientSettings fitting =
        lacking.containsKey(Ability.FENCING) && !settings.required().contains(Trait.FENCING)
            ? settings.acceptUnfenced()
            : settings;
    if (lacking.containsKey(Ability.FINAL_WITHDRAWAL)
        && settings.closeTimeout().compareTo(CLOSE_IN_DOUBT) > 0) {
      fitting = fitting.withCloseTimeout(CLOSE_IN_DOUBT);
    }
    LockClient client = fitting.applyTo(Leasehold.builder(outside.apply(faulty))).build();
    faults.put(client, faulty);
    return client;
  }

  @Override
  public Optional<String> lacks(Ability ability) {
    return Optional.ofNullable(lacking.get(ability));
  }

  @Override
  public Optional<Traits> traits() {
    return Optional.of(traits);
  }

  @Override
  public final Faults faults(LockClient client) {
    FaultyStore faulty = faults.get(client);
    if (faulty == null) {
      throw new IllegalArgumentException("the client was not opened here");
    }
    return faulty;
  }

  @Override
  public final Optional<String> leftovers(LockClient client) {
    Ledger ledger = ((Engine) client).ledger();
    boolean inDoubt =
        lacking.containsKey(Ability.FINAL_WITHDRAWAL)
            && Objects.requireNonNull(faults.get(client)).wasUsed();
    Ledger known = inDoubt ? withoutLimbo(ledger) : ledger;
    return client.isClosed() || known.isZero() ? Optional.empty() : Optional.of(ledger.toString());
  }

  private static Ledger withoutLimbo(Ledger all) {
    return new Ledger(all.names(), all.waiters(), all.tickets(), all.leases(), 0, all.holds());
  }

  @Override
  public final Claim claim() {
    return Claim.ALL;
  }
}
