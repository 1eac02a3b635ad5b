package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.testkit.InMemoryStore;
import io.leasehold.testkit.simulation.ThreadedWorld.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What an engine sees of the store where threads are simulated: verbs that take virtual time on the
 * thread that calls them, or are answered later on the store's own thread.
 */
final class ThreadedStore implements LockStore, StoreListener {
  private final ThreadedWorld world;
  private final ThreadedProcess process;
  private final InMemoryStore atServer;
  private final ThreadedReports reports;
  private StoreListener engine;

  ThreadedStore(ThreadedWorld world, ThreadedProcess process) {
    this.world = world;
    this.process = process;
    this.atServer = world.server.connect(this);
    this.reports = new ThreadedReports(world, process);
  }

  ThreadedStore open(StoreListener listener) {
    this.engine = listener;
    return this;
  }

  @Override
  public Traits traits() {
    Traits traits = atServer.traits();
    return world.plan.hears ? traits.with(Traits.Hearing.BY_CALLERS) : traits;
  }

  // ---- verbs

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return call("attempt", ticket, within, s -> s.attempt(ticket, within))
        .thenApply(answer -> heard(ticket, answer));
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    return call("attempt", tickets.get(0), within, s -> s.attempt(tickets, within))
        .thenApply(
            answers ->
                IntStream.range(0, answers.size())
                    .mapToObj(i -> heard(tickets.get(i), answers.get(i)))
                    .toList());
  }

  /** Where only callers read, a ticket is not watched. */
  private Attempt heard(Ticket ticket, Attempt answer) {
    if (!(answer instanceof Attempt.Queued queued)) {
      reports.forget(ticket.id());
      return answer;
    }
    return !world.plan.hears || reports.watches(ticket.id())
        ? answer
        : new Attempt.Queued(queued.place(), queued.holder());
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    reports.forget(ticket.id());
    return call("withdraw", ticket, within, s -> s.withdraw(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    world.judge.leases.releaseSent(ticket.id());
    return call("release", ticket, within, s -> s.release(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    world.judge.leases.releaseSent(ticket.id());
    served.forEach(reports::forget);
    return call("release", ticket, within, s -> s.release(ticket, served, within));
  }

  @Override
  public boolean hear(Ticket ticket, Duration within) {
    Fate fate = sent("hear", ticket);
    throwIt(fate, "hear");
    boolean mayHear =
        switch (fate) {
          case HANGS, OVERRUNS -> hearsNothing(within);
          case BREAKS -> breaksOff();
          case IS_REFUSED -> false;
          default -> reports.read(within);
        };
    if (world.trace.on()) {
      world.trace.line(who(), "< hear " + id(ticket) + " " + mayHear);
    }
    return mayHear;
  }

  /** The connection is silent; a caller looks now and then whether it was interrupted. */
  private boolean hearsNothing(Duration within) {
    long end = world.time.now() + within.toNanos();
    for (long left = within.toNanos();
        left > 0 && !Thread.currentThread().isInterrupted();
        left = end - world.time.now()) {
      Strand.current().pause(Math.min(left, 100 * Plan.MS));
    }
    return world.coin();
  }

  private boolean breaksOff() {
    reports.takeBack();
    reconnected();
    return false;
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    reports.watch(ticket.id());
    return call("watch", ticket, within, s -> s.watch(ticket, within));
  }

  /** Answers what it can before it hangs for the rest. */
  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> passing = new ArrayList<>();
    Map<Ticket, Fate> others = new LinkedHashMap<>();
    for (Ticket ticket : tickets) {
      Fate fate = sent("renew", ticket);
      if (fate == Fate.PASSES) {
        passing.add(ticket);
      } else {
        others.put(ticket, fate);
      }
    }
    if (world.plan.isBlocking()) {
      renewHere(passing, others, within.toNanos(), each);
      return;
    }
    others.values().forEach(fate -> throwIt(fate, "renew"));
    for (Ticket ticket : passing) {
      long sent = world.delay();
      world.time.in(sent, () -> answerLater(ticket, renewed(ticket), world.delay(), each));
    }
    others.forEach(
        (ticket, fate) ->
            answerLater(
                ticket,
                new Renewal.Unknown(failure(fate)),
                fate == Fate.HANGS ? within.toNanos() : world.delay(),
                each));
  }

  private void renewHere(
      List<Ticket> passing,
      Map<Ticket, Fate> others,
      long within,
      BiConsumer<LeaseId, Renewal> each) {
    Strand me = Strand.current();
    long begin = world.time.now();
    long way = Math.min(world.delay(), within);
    me.pause(way);
    List<Renewal> answers = passing.stream().map(this::renewed).toList();
    me.pause(Math.min(world.delay(), within - way));
    for (int i = 0; i < answers.size(); i++) {
      answer(passing.get(i), answers.get(i), each);
    }
    if (others.containsValue(Fate.OVERRUNS)) {
      me.isKept(within - (world.time.now() - begin) + world.plan.requestTimeout / 2);
    } else if (others.containsValue(Fate.HANGS)) {
      me.pause(within - (world.time.now() - begin));
    }
    others.values().forEach(fate -> throwIt(fate, "renew"));
    others.forEach((ticket, fate) -> answer(ticket, new Renewal.Unknown(failure(fate)), each));
  }

  private Renewal renewed(Ticket ticket) {
    Renewal answer = atServer.renew(ticket, 0);
    if (world.trace.on()) {
      world.trace.line("server", "renew " + id(ticket) + " = " + Trace.show(answer));
    }
    return answer;
  }

  private void answerLater(
      Ticket ticket, Renewal answer, long delay, BiConsumer<LeaseId, Renewal> each) {
    world.time.in(delay, () -> onItsThread(() -> answer(ticket, answer, each)));
  }

  private void answer(Ticket ticket, Renewal answer, BiConsumer<LeaseId, Renewal> each) {
    if (!(answer instanceof Renewal.Unknown)) {
      world.judge.answered(process, ticket.name());
    }
    if (world.trace.on()) {
      world.trace.line(who(), "< renew " + id(ticket) + " " + Trace.show(answer));
    }
    each.accept(ticket.id(), answer);
  }

  private Fate sent(String verb, Ticket ticket) {
    Fate fate = world.fate(verb, ticket.name());
    if (world.trace.on()) {
      world.trace.line(
          who(), "> " + verb + " " + id(ticket) + (fate == Fate.PASSES ? "" : " " + fate));
    }
    return fate;
  }

  private String who() {
    Strand strand = Strand.current();
    return strand == null ? process.name : strand.name;
  }

  private String id(Ticket ticket) {
    world.trace.name(ticket.id().client(), process.name);
    return world.trace.id(ticket.id()) + " of " + ticket.name();
  }

  private <T> CompletionStage<T> call(
      String verb,
      Ticket ticket,
      Duration within,
      Function<InMemoryStore, CompletionStage<T>> apply) {
    Fate fate = sent(verb, ticket);
    Supplier<T> atTheServer =
        () -> {
          T value = apply.apply(atServer).toCompletableFuture().join();
          if (world.trace.on()) {
            world.trace.line("server", verb + " " + id(ticket) + " = " + Trace.show(value));
          }
          return value;
        };
    CompletionStage<T> answer =
        world.plan.isBlocking()
            ? blocking(verb, fate, within.toNanos(), atTheServer)
            : later(verb, fate, within.toNanos(), atTheServer);
    return answer.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            world.judge.answered(process, ticket.name());
          }
          if (world.trace.on()) {
            String what = failure == null ? Trace.show(value) : "failed" + Judge.kind(failure);
            world.trace.line(who(), "< " + verb + " " + id(ticket) + " " + what);
          }
        });
  }

  private <T> CompletionStage<T> blocking(
      String verb, Fate fate, long within, Supplier<T> atTheServer) {
    Strand me = Strand.current();
    long there = world.delay();
    long back = world.delay();
    boolean arrives = fate == Fate.PASSES || (fate != Fate.IS_REFUSED && world.coin());
    if (fate != Fate.PASSES) {
      if (arrives) {
        world.time.in(there, () -> unanswered(atTheServer));
      }
      wait(me, fate, within, there);
      throwIt(fate, verb);
      return failed(fate);
    }
    if (there + back > within) {
      world.time.in(there, () -> unanswered(atTheServer));
      me.pause(within);
      return failed(Fate.HANGS);
    }
    me.pause(there);
    T value = atTheServer.get();
    me.pause(back);
    return CompletableFuture.completedFuture(value);
  }

  private void wait(Strand me, Fate fate, long within, long there) {
    switch (fate) {
      case HANGS -> me.pause(within);
      case OVERRUNS -> {
        me.pause(within);
        me.isKept(world.plan.requestTimeout / 2);
      }
      default -> me.pause(Math.min(within, there));
    }
  }

  private static <T> void unanswered(Supplier<T> atTheServer) {
    T unused = atTheServer.get();
  }

  private static void throwIt(Fate fate, String verb) {
    if (fate == Fate.FAILS) {
      throw new SimulatedFaults.Failed(verb);
    }
    if (fate == Fate.THROWS) {
      throw new SimulatedFaults.Broken(verb);
    }
  }

  private static <T> CompletionStage<T> failed(Fate fate) {
    return CompletableFuture.failedFuture(failure(fate));
  }

  private static StoreException failure(Fate fate) {
    Failure failure = fate == Fate.IS_REFUSED ? Failure.UNAVAILABLE : Failure.UNKNOWN_OUTCOME;
    return new StoreException(failure, "simulated: " + fate, null);
  }

  private <T> CompletionStage<T> later(
      String verb, Fate fate, long within, Supplier<T> atTheServer) {
    throwIt(fate, verb);
    CompletableFuture<T> answer = new CompletableFuture<>();
    long there = world.delay();
    if (fate == Fate.PASSES) {
      world.time.in(
          there,
          () -> {
            T value = atTheServer.get();
            world.time.in(world.delay(), () -> onItsThread(() -> answer.complete(value)));
          });
      return answer;
    }
    if (fate != Fate.IS_REFUSED && world.coin()) {
      world.time.in(there, () -> unanswered(atTheServer));
    }
    long told =
        switch (fate) {
          case HANGS -> within;
          case OVERRUNS -> within + world.plan.requestTimeout;
          default -> there;
        };
    world.time.in(told, () -> onItsThread(() -> answer.completeExceptionally(failure(fate))));
    return answer;
  }

  private void onItsThread(Runnable task) {
    process.store.execute(task);
  }

  // ---- reports

  @Override
  public void wake(LeaseId id) {
    world.time.in(
        world.delay(),
        () ->
            reports.come(
                () -> {
                  if (world.trace.on()) {
                    world.trace.line(who(), "< wake " + world.trace.id(id));
                  }
                  engine.wake(id);
                }));
  }

  @Override
  public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    wake(id);
  }

  @Override
  public void reconnected() {
    world.time.in(world.delay(), () -> reports.come(engine::reconnected));
  }

  @Override
  public void lost(Collection<LeaseId> ids) {
    List<LeaseId> gone = List.copyOf(ids);
    world.time.in(world.delay(), () -> reports.come(() -> engine.lost(gone)));
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.empty();
  }

  @Override
  public void close() {
    // What is under way may still arrive.
  }
}
