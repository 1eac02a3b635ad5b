package io.leasehold.testkit.simulation;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryStore;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A client's way to the server. Either one connection that keeps the order of requests and of
 * answers, and breaks with all that is under way, as ZooKeeper's; or each request by itself, late
 * or lost, as with etcd and Consul. In the second case keys are used again, as by our adapter for
 * etcd.
 */
final class SessionLink implements EntryStore {
  private final SessionSimulation world;
  private final SessionSimulation.Client process;
  private final Dice dice;
  private final boolean isOrdered;

  private final Map<Long, CompletableFuture<?>> open = new LinkedHashMap<>();
  private long opened;
  private final List<Runnable> reports = new ArrayList<>();
  private final Deque<Integer> freeKeys = new ArrayDeque<>();
  private final Map<LeaseId, Integer> keys = new HashMap<>();
  private int lastKey;
  private boolean isCut;
  private int epoch;
  private long lastArrival;
  private long lastAnswer;

  SessionLink(
      SessionSimulation world, SessionSimulation.Client process, boolean isOrdered, Dice dice) {
    this.world = world;
    this.process = process;
    this.isOrdered = isOrdered;
    this.dice = dice;
  }

  // ---- messages

  private <T> CompletableFuture<T> send(Duration within, Supplier<T> work) {
    return send(within, work, () -> {});
  }

  /** Asks the server, which may throw; {@code refused} runs in the client before it hears so. */
  private <T> CompletableFuture<T> send(Duration within, Supplier<T> work, Runnable refused) {
    if (isCut) {
      return CompletableFuture.failedFuture(
          new StoreException(Failure.UNAVAILABLE, "not connected", null));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    long number = opened++;
    open.put(number, answer);
    answer.whenComplete((value, failed) -> open.remove(number));
    if (!isOrdered) {
      process.in(within.toNanos(), () -> answer.completeExceptionally(unknown()));
      if (dice.chance(world.loss())) {
        return answer;
      }
    }
    int sentIn = epoch;
    long arrives = world.time.now() + delay();
    lastArrival = isOrdered ? Math.max(arrives, lastArrival) : arrives;
    world.time.in(
        lastArrival - world.time.now(),
        () -> world.server.run(() -> arrive(answer, work, refused, sentIn)));
    return answer;
  }

  private <T> void arrive(
      CompletableFuture<T> answer, Supplier<T> work, Runnable refused, int sentIn) {
    if (isOrdered && sentIn != epoch) {
      return;
    }
    Runnable tells;
    try {
      T value = work.get();
      tells = () -> answer.complete(value);
    } catch (StoreException e) {
      tells =
          () -> {
            refused.run();
            answer.completeExceptionally(e);
          };
    }
    if (isOrdered || !dice.chance(world.loss())) {
      answer(tells, sentIn);
    }
  }

  private void answer(Runnable tells, int sentIn) {
    long arrives = world.time.now() + delay();
    lastAnswer = isOrdered ? Math.max(arrives, lastAnswer) : arrives;
    world.time.in(
        lastAnswer - world.time.now(),
        () -> {
          // Of a connection that broke no answer is heard
          if (sentIn == epoch) {
            process.run(tells);
          }
        });
  }

  private long delay() {
    boolean isLate = !isOrdered && world.isInTrouble() && dice.chance(0.05);
    return dice.spread(50_000, isLate ? 2 * Plan.SECOND : 5_000_000);
  }

  private static StoreException unknown() {
    return new StoreException(Failure.UNKNOWN_OUTCOME, "no answer", null);
  }

  /** Something that the client did not ask for: now, or once it is connected again. */
  void report(Runnable report) {
    if (isCut) {
      reports.add(report);
      return;
    }
    int in = epoch;
    long arrives = world.time.now() + delay();
    lastAnswer = isOrdered ? Math.max(arrives, lastAnswer) : arrives;
    world.time.in(
        lastAnswer - world.time.now(),
        () -> {
          if (in == epoch) {
            process.run(report);
          } else {
            report(report);
          }
        });
  }

  /** Whether what is sent now surely arrives, as far as is known when that is asked. */
  BooleanSupplier arrives() {
    int sentIn = epoch;
    boolean mayArrive = isOrdered && !isCut;
    return () -> mayArrive && sentIn == epoch;
  }

  /** The connection breaks: what is under way has an unknown outcome. */
  void cut() {
    if (isCut) {
      return;
    }
    isCut = true;
    epoch++;
    endRequests();
    if (!isOrdered) {
      world.server.endWatches(this);
    }
  }

  /** No answer is waited for any more. */
  void endRequests() {
    for (CompletableFuture<?> each : List.copyOf(open.values())) {
      process.run(() -> each.completeExceptionally(unknown()));
    }
  }

  void reconnect() {
    if (isCut) {
      isCut = false;
      List<Runnable> late = List.copyOf(reports);
      reports.clear();
      late.forEach(this::report);
    }
  }

  // ---- the store

  @Override
  public Traits traits() {
    return EntryStore.traits(
        "sessions",
        EnumSet.allOf(LockMode.class),
        new Limits(
            Duration.ofMillis(10),
            Duration.ofDays(1),
            Duration.ofMillis(1),
            world.yieldPercent,
            ttl -> ttl));
  }

  @Override
  public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
    SessionLife life = new SessionLife(process, ttl, Duration.ZERO);
    return send(within, () -> world.server.open(this, ttl, ended))
        .thenApply(served -> new OfClient(served, life, ended));
  }

  @Override
  public int mostTogether() {
    return 2;
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    return send(within, () -> world.server.list(each -> name.isEmpty() || name.get().equals(each)));
  }

  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    throw new UnsupportedOperationException("no operator is simulated");
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public void close() {
    // What was sent arrives
  }

  private String key(Ticket ticket) {
    int number =
        keys.computeIfAbsent(
            ticket.id(),
            id -> {
              Integer free = isOrdered ? null : freeKeys.poll();
              return free == null ? ++lastKey : free;
            });
    String kind = Entry.label(ticket, new LeaseId(process.number, number));
    return ticket.name() + "/" + kind;
  }

  /** A session of this client. */
  private final class OfClient implements Session {
    private final SessionServer.Served served;
    private final SessionLife life;
    private final Runnable ended;

    OfClient(SessionServer.Served served, SessionLife life, Runnable ended) {
      this.served = served;
      this.life = life;
      this.ended = ended;
      process.sessions.add(served);
    }

    private void tellIfEnded() {
      if (served.isOver()) {
        ended.run();
      }
    }

    private List<Entry> listed(List<String> names) {
      return world.server.list(names::contains).stream()
          .map(entry -> isOrdered ? entry.with(0, Entry.Details.NONE) : entry)
          .toList();
    }

    @Override
    public CompletionStage<Entered> enter(Ticket ticket, Duration within) {
      String key = key(ticket);
      return send(
          within,
          () -> {
            Entry own = served.enter(ticket, key);
            return new Entered(own, listed(List.of(ticket.name())));
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<Boolean> leave(Entry own, Duration within) {
      return send(within, () -> served.leave(own), this::tellIfEnded)
          .thenApply(
              wasThere -> {
                Integer key = keys.remove(own.id());
                if (key != null) {
                  freeKeys.add(key);
                }
                return wasThere;
              });
    }

    @Override
    public CompletionStage<Boolean> takeBack(Ticket ticket, Duration within) {
      return send(within, () -> served.takeBack(ticket), this::tellIfEnded);
    }

    @Override
    public CompletionStage<List<Entry>> read(List<String> names, Duration within) {
      return send(
          within,
          () -> {
            served.requireAlive();
            return listed(names);
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<Optional<Entry.Details>> look(
        Entry other, Watcher watcher, Duration within) {
      return send(within, () -> world.server.look(other, SessionLink.this, watcher));
    }

    @Override
    public CompletionStage<Void> touch(Entry own, Duration within) {
      return send(
          within,
          () -> {
            served.touch(own);
            return null;
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<Void> beat(Duration within) {
      SessionLife.Sent sent = life.now();
      return send(
              within,
              () -> {
                served.beat();
                return null;
              },
              this::tellIfEnded)
          .thenAccept(done -> life.answered(sent));
    }

    @Override
    public SessionLife life() {
      return life;
    }

    /** A client that closes waits for no answer here: that would stop the time. */
    @Override
    public CompletionStage<?> end() {
      CompletableFuture<?> unused =
          send(
              Duration.ofSeconds(1),
              () -> {
                served.end();
                return null;
              });
      return CompletableFuture.completedFuture(null);
    }
  }
}
