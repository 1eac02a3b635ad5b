package io.leasehold.internal;

import io.leasehold.ClientClosedException;
import io.leasehold.ClientSnapshot;
import io.leasehold.DistributedLock;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Finding;
import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.MultiLock;
import io.leasehold.Trait;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Terms.Share;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.LockNames;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One client: the parts of the engine over one open store. */
public final class Engine implements LockClient {
  /**
   * In which one hand-over is due on a machine at its ease: who is quicker gets no more of a lock
   * than others (a bound by count: Dice, Marathe, Shavit, Lock Cohorting, PPoPP 2012).
   */
  private static final long HAND_OVER_PACE_NANOS = 12_500;

  final Clock clock;
  final Scheduler scheduler;
  final LockStore store;
  final Traits traits;
  private final long leastFenceNumber;
  final Duration requestTimeout;
  final long requestNanos;
  final long handOverNanos;

  /** How often a lease is handed over at most, in that time. */
  final int wantedHandOvers;

  final Identity identity;
  final Completers completers;
  final Events.Warnings warnings;
  final Events events;
  final Closing closing;
  final StoreCalls calls;
  final LeaseKeeper keeper;
  final Poller poller;
  final Limbo limbo;
  final Releaser releaser = new Releaser(this);
  final ScopedHolds scopedHolds = new ScopedHolds();

  /** The store's reports of who waits are whole from then on: when it last connected. */
  volatile long wordsCountFrom;

  /** The queues that are in use. */
  final Map<String, NameQueue> names = new ConcurrentHashMap<>();

  final Map<LeaseId, Contender> contenders = new ConcurrentHashMap<>();

  /** Those that take part in elections. */
  final Set<Candidate> candidates = ConcurrentHashMap.newKeySet();

  private final Duration ttl;

  /** Of a lock for which nothing else was chosen. */
  private final Terms usualTerms;

  /**
   * Opens the store and wires the parts.
   *
   * @param random bits for lease ids: drawn twice, here
   */
  public Engine(
      StoreFactory factory,
      EngineConfig config,
      Clock clock,
      Scheduler scheduler,
      LongSupplier random) {
    this.clock = clock;
    this.wordsCountFrom = clock.nanos();
    this.scheduler = scheduler;
    this.identity = new Identity(config.traceId(), random);
    this.requestTimeout = config.requestTimeout();
    this.requestNanos = Durations.nanos(requestTimeout);
    this.handOverNanos = Durations.nanos(config.handOver());
    this.wantedHandOvers =
        (int) Math.min(FenceNumber.MAX_HAND_OVERS, handOverNanos / HAND_OVER_PACE_NANOS);
    this.completers = new Completers(scheduler);
    this.warnings = new Events.Warnings(clock, scheduler);
    this.events = new Events(scheduler, config.listeners());
    this.closing = new Closing(this, config);
    this.keeper = new LeaseKeeper(this);
    this.poller = new Poller(this);
    this.store = factory.open(new StoreReports(this));
    this.traits = store.traits();
    this.leastFenceNumber = traits.has().contains(Trait.FENCING) ? 1 : 0;
    this.calls = new StoreCalls(clock, scheduler, requestNanos, traits.calls());
    this.limbo = new Limbo(store, calls, clock, scheduler, requestTimeout, this::neverKnown);
    try {
      config.required().forEach(this::require);
      this.ttl =
          config
              .ttl()
              .map(d -> Terms.chosenTtl(d, traits))
              .orElseGet(() -> Terms.defaultTtl(config.defaultTtl(), traits));
      this.usualTerms = Terms.of(Share.EXCLUSIVE, LockOptions.defaults(), ttl, traits);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** A client on the clocks and threads of this virtual machine. */
  public static LockClient open(StoreFactory factory, EngineConfig config) {
    Threads threads = new Threads();
    try {
      return new Engine(factory, config, new SystemClock(), threads, Identity.random());
    } catch (RuntimeException e) {
      threads.close();
      throw e;
    }
  }

  private void neverKnown(Ticket ticket) {
    events.emit(
        () -> new LockEvent.UnknownOutcome(ticket.name(), ticket.id().toString(), "withdraw"));
  }

  private void require(Trait trait) {
    if (!traits.has().contains(trait)) {
      throw Failures.missing(trait, traits.store());
    }
  }

  // ---- LockClient

  @Override
  public DistributedLock lock(String name) {
    requireUsable(name);
    return new LockHandle(new NameQueue(this, name), Share.EXCLUSIVE, LockOptions.defaults());
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String name) {
    requireUsable(name);
    return new ReadWriteHandle(new NameQueue(this, name), LockOptions.defaults());
  }

  @Override
  public DistributedSemaphore semaphore(String name, int size) {
    requireUsable(name);
    return new SemaphoreHandle(new NameQueue(this, name), 1, size, LockOptions.defaults());
  }

  @Override
  public MultiLock allOf(String... names) {
    for (String name : names) {
      requireUsable(name);
    }
    return MultiHandle.of(this, List.of(names), LockOptions.defaults());
  }

  private void requireUsable(String name) {
    LockNames.require(name);
    if (isClosed()) { // Asked here too: every lock would pay for the text
      throw closed("lock '" + name + "'");
    }
  }

  @SuppressWarnings("ReferenceEquality") // Equal options only cost terms of their own
  Terms terms(Share share, LockOptions options) {
    boolean usual = share == Share.EXCLUSIVE && options == LockOptions.defaults();
    return usual ? usualTerms : Terms.of(share, options, ttl, traits);
  }

  @Override
  public Leadership leadership(String name, LockOptions options, LeadershipListener listener) {
    requireUsable(name);
    LockHandle lock = new LockHandle(new NameQueue(this, name), Share.EXCLUSIVE, options);
    return new Candidate(lock, listener).stand();
  }

  @Override
  public List<LockSnapshot> list() {
    return list(Optional.empty());
  }

  List<LockSnapshot> list(Optional<String> name) {
    StoreOperator operator = operator("list");
    List<LockSnapshot> found =
        calls.callAndWait(() -> operator.list(name, requestTimeout), requestNanos);
    return Diagnosis.withHoldersHere(found, keeper);
  }

  boolean breakLease(String name, long number) {
    StoreOperator operator = operator("break '" + name + "'");
    return calls.callAndWait(() -> operator.breakLease(name, number, requestTimeout), requestNanos);
  }

  private StoreOperator operator(String what) {
    requireOpen(what);
    return store
        .operator()
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "the " + traits.store() + " store keeps no list of its leases"));
  }

  @Override
  public List<Finding> diagnose() {
    requireOpen("diagnose");
    return new Diagnosis(this).findings();
  }

  @Override
  public ClientSnapshot snapshot() {
    Ledger now = ledger();
    return new ClientSnapshot(traits.store(), now.leases(), now.waiters());
  }

  @Override
  public Set<Trait> traits() {
    return traits.has();
  }

  @Override
  public void addListener(LockListener listener) {
    events.add(listener);
  }

  @Override
  public void removeListener(LockListener listener) {
    events.remove(listener);
  }

  @Override
  public boolean isClosed() {
    return closing.hasBegun();
  }

  private void requireOpen(String what) {
    if (isClosed()) {
      throw closed(what);
    }
  }

  private static ClientClosedException closed(String what) {
    return new ClientClosedException(what + ": the client was closed");
  }

  @Override
  public void close() {
    closing.run();
  }

  /** As {@link #close()}, without waiting. */
  public CompletionStage<Void> closeAsync() {
    return closing.begin();
  }

  /** What this engine holds in memory now. */
  public Ledger ledger() {
    int waiters = 0;
    for (NameQueue queue : names.values()) {
      waiters += queue.waiterCount();
    }
    return new Ledger(
        names.size(), waiters, contenders.size(), keeper.size(), limbo.size(), scopedHolds.size());
  }

  // ---- for the parts

  /** Lets a caller in at its name's queue: the one that is in use, or else the given. */
  NameQueue enter(NameQueue unused, Waiter waiter) {
    while (true) {
      NameQueue queue = names.getOrDefault(waiter.name, unused);
      if (queue.enter(waiter)) {
        return queue;
      }
    }
  }

  /** Ends a wait from the caller's side: see {@link NameQueue#giveUp}. */
  Waiter.Outcome giveUp(Waiter waiter, NameQueue.GiveUp why) {
    // A queue stays the one of its name while a caller waits in it
    NameQueue queue = names.get(waiter.name);
    Waiter.Outcome end = queue == null ? waiter.outcome() : queue.giveUp(waiter, why);
    return end == null ? Waiter.Withdrawn.WITHDRAWN : end;
  }

  Duration ttl() {
    return ttl;
  }

  /** How long a lease of this ttl stands after a renewal. */
  Duration yieldOf(Duration wholeTtl) {
    return wholeTtl.multipliedBy(traits.life().yieldPercent()).dividedBy(100);
  }

  boolean isFenceNumber(long number) {
    return number >= leastFenceNumber && number <= FenceNumber.MAX;
  }

  Duration since(long start) {
    return Duration.ofNanos(clock.nanos() - start);
  }

  /**
   * What one engine holds in memory at a moment: all zero when nothing is held, waited for or in
   * doubt. Every test requires that at its end.
   *
   * @param names lock names with any state
   * @param waiters callers that wait
   * @param tickets tickets that contend at the store
   * @param leases leases that are renewed or watched for loss
   * @param limbo lease ids whose fate is not known
   * @param holds thread-bound holds of {@code withLock} and {@code asLock}
   */
  public record Ledger(int names, int waiters, int tickets, int leases, int limbo, int holds) {
    /** Whether nothing is left. */
    public boolean isZero() {
      return equals(new Ledger(0, 0, 0, 0, 0, 0));
    }
  }

  /** Takes what an open store reports to whom it concerns. */
  private static final class StoreReports implements StoreListener {
    private final Engine engine;

    StoreReports(Engine engine) {
      this.engine = engine;
    }

    @Override
    public void wake(LeaseId id) {
      Contender contender = engine.contenders.get(id);
      if (contender != null) {
        contender.queue().locked(contender::wake);
      }
    }

    @Override
    public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
      Contender contender = engine.contenders.get(id);
      if (contender != null) {
        Validity validity = Validity.told(engine.clock, age, granted.remaining());
        contender.queue().locked(steps -> contender.told(granted, validity, steps));
      }
    }

    @Override
    public void wanted(LeaseId id) {
      // It may come before the answer to the attempt that was granted
      Contender contender = engine.contenders.get(id);
      if (contender != null) {
        contender.queue().locked(steps -> contender.wantedNow());
      }
      Grant grant = engine.keeper.find(id);
      if (grant != null) {
        grant.queue.locked(steps -> grant.wantedNow());
      }
    }

    @Override
    public void reconnected() {
      engine.wordsCountFrom = engine.clock.nanos();
      for (Contender contender : List.copyOf(engine.contenders.values())) {
        contender.queue().locked(contender::reconnected);
      }
    }

    @Override
    public void lost(Collection<LeaseId> ids) {
      for (LeaseId id : ids) {
        Contender contender = engine.contenders.get(id);
        if (contender != null) {
          contender.queue().locked(contender::sessionEnded);
        }
        Grant grant = engine.keeper.find(id);
        if (grant != null) {
          grant.queue.locked(steps -> grant.queue.leases.lose(grant, Reason.SESSION_ENDED, steps));
        }
      }
    }

    @Override
    public void found(Finding finding) {
      if (finding.level() != Finding.Level.OK) {
        engine.events.emit(() -> new LockEvent.StoreWarning(finding));
      }
    }
  }
}
