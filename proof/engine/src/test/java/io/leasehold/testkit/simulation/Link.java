package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.GrantMessages;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.InMemoryStore;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** The way between one process and the server. */
final class Link implements StoreListener {
  /** What it does with messages. */
  enum Condition {
    OPEN,
    /** Requests and replies vanish. */
    SILENT,
    /** Requests arrive, replies vanish. */
    ONE_WAY,
    /** Requests are refused at once. */
    REFUSING
  }

  private static final double HANGING = 0.2;
  private static final long LONGEST_HANG = 4 * Plan.SECOND;

  final SimulatedProcess process;
  final GrantMessages messages;
  private final World world;
  private final Dice dice;
  private final Map<Long, CompletableFuture<?>> open = new LinkedHashMap<>();
  private long opened;
  private StoreListener engine;
  private InMemoryStore atServer;
  private Condition condition = Condition.OPEN;
  private int epoch;

  Link(SimulatedProcess process, World world, Dice dice) {
    this.process = process;
    this.messages = new GrantMessages(process);
    this.world = world;
    this.dice = dice;
    this.atServer = world.server.connect(this);
  }

  SimulatedStore open(StoreListener listener) {
    this.engine = listener;
    return new SimulatedStore(this, atServer.traits());
  }

  static StoreException unknown() {
    return new StoreException(Failure.UNKNOWN_OUTCOME, "no answer", null);
  }

  // Requests

  <T> CompletableFuture<T> call(
      String verb,
      Ticket ticket,
      Duration within,
      Function<InMemoryStore, CompletionStage<T>> apply) {
    sent(verb, ticket);
    long sentAt = process.nanos();
    boolean surely = verb.equals("watch") && world.plan.quietWakes();
    CompletableFuture<T> answer =
        send(
            within,
            s -> {
              CompletionStage<T> stage = apply.apply(s);
              stage.thenAccept(value -> world.judge.store.applied(this, verb, ticket, value));
              return stage;
            },
            surely,
            verb.equals("attempt"),
            !verb.equals("attempt") || mayComeTwice(ticket));
    answer.whenComplete(
        (value, failure) ->
            world.judge.store.answered(process, verb, ticket, sentAt, value, failure));
    return answer;
  }

  /** One request for several: its fate is theirs. */
  CompletableFuture<List<Attempt>> attempt(
      List<Ticket> tickets,
      Duration within,
      Function<InMemoryStore, CompletionStage<List<Attempt>>> apply) {
    world.saw(Sometimes.CAME_TOGETHER);
    tickets.forEach(ticket -> sent("attempt", ticket));
    long sentAt = process.nanos();
    CompletableFuture<List<Attempt>> answers =
        send(
            within,
            s -> {
              CompletionStage<List<Attempt>> stage = apply.apply(s);
              stage.thenAccept(
                  all -> {
                    for (int i = 0; i < all.size(); i++) {
                      world.judge.store.applied(this, "attempt", tickets.get(i), all.get(i));
                    }
                  });
              return stage;
            },
            false,
            true,
            tickets.stream().allMatch(this::mayComeTwice));
    answers.whenComplete(
        (all, failure) -> {
          for (int i = 0; i < tickets.size(); i++) {
            Attempt answer = all == null ? null : all.get(i);
            world.judge.store.answered(process, "attempt", tickets.get(i), sentAt, answer, failure);
          }
        });
    return answers;
  }

  /**
   * Without tombstones, or for a try or one of another kind, which leave none, an attempt that
   * arrives twice is granted twice.
   */
  private boolean mayComeTwice(Ticket ticket) {
    return ticket.intent() == Ticket.Intent.QUEUE
        && world.plan.has(Feature.TOMBSTONES)
        && world.plan.uses().clashes() == 0;
  }

  void sent(String verb, Ticket ticket) {
    world.judge.store.sent(process, verb, ticket);
  }

  void answered(String verb, Ticket ticket, long sentAt, Object answer) {
    world.judge.store.answered(process, verb, ticket, sentAt, answer, null);
  }

  <T> CompletableFuture<T> send(
      Duration within, Function<InMemoryStore, CompletionStage<T>> apply) {
    return send(within, apply, false, false, true);
  }

  private <T> CompletableFuture<T> send(
      Duration within,
      Function<InMemoryStore, CompletionStage<T>> apply,
      boolean surely,
      boolean attempt,
      boolean mayComeTwice) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean faulty = world.isFaulty() && !surely;
    if (condition == Condition.REFUSING || (world.isDown() && dice.chance(0.7))) {
      world.saw(Sometimes.UNAVAILABLE);
      fail(answer, Failure.UNAVAILABLE, dice.between(0, world.plan.slowest()));
      return answer;
    }
    if (faulty && attempt && dice.chance(world.plan.lostRequests() / 20)) {
      world.saw(Sometimes.REFUSED);
      fail(answer, Failure.REFUSED, delay());
      return answer;
    }
    if (dice.chance(world.plan.inside()) && condition == Condition.OPEN && !world.isDown()) {
      world.saw(Sometimes.ANSWER_INSIDE_CALL);
      T value = apply.apply(atServer).toCompletableFuture().join();
      world.watchExpiry();
      answer.complete(value);
      return answer;
    }
    long number = opened++;
    open.put(number, answer);
    answer.whenComplete((value, failure) -> open.remove(number));
    boolean tardy = faulty && dice.chance(world.plan.tardy());
    if (tardy) {
      world.saw(Sometimes.TARDY);
    }
    process.later(
        within.toNanos() * (tardy ? 4 : 1), () -> answer.completeExceptionally(unknown()));
    if (faulty && dice.chance(world.plan.lostRequests())) {
      world.saw(Sometimes.REQUEST_LOST);
      return answer;
    }
    long way = delay();
    if (faulty && dice.chance(world.plan.late())) {
      world.saw(Sometimes.REQUEST_LATE);
      way = dice.spread(world.plan.slowest(), world.plan.latest());
    }
    int sentIn = epoch;
    world.time.in(way, () -> arrive(answer, apply, sentIn, surely));
    if (faulty && mayComeTwice && dice.chance(world.plan.duplicates())) {
      world.saw(Sometimes.REQUEST_DUPLICATED);
      world.time.in(
          dice.spread(way, world.plan.latest()), () -> arrive(answer, apply, sentIn, surely));
    }
    return answer;
  }

  private <T> void arrive(
      CompletableFuture<T> answer,
      Function<InMemoryStore, CompletionStage<T>> apply,
      int sentIn,
      boolean surely) {
    if (world.isDown() || (condition == Condition.SILENT && !surely)) {
      return;
    }
    T value = apply.apply(atServer).toCompletableFuture().join();
    world.watchExpiry();
    boolean lost =
        (world.isFaulty() && !surely && dice.chance(world.plan.lostReplies()))
            || condition == Condition.ONE_WAY;
    if (lost || sentIn != epoch) {
      world.saw(Sometimes.REPLY_LOST);
    } else {
      process.post(delay(), () -> answer.complete(value));
    }
  }

  private void fail(CompletableFuture<?> answer, Failure failure, long delay) {
    process.post(
        delay, () -> answer.completeExceptionally(new StoreException(failure, "simulated", null)));
  }

  private long delay() {
    return dice.between(world.plan.fastest(), world.plan.slowest());
  }

  boolean splits() {
    return dice.chance(0.2);
  }

  boolean losesOne() {
    return world.isFaulty() && dice.chance(world.plan.lostReplies() / 3);
  }

  // Reports of the server

  /**
   * A message about a grant may have a connection of its own, which hangs while the others work: it
   * comes late, and must not be believed then.
   */
  @Override
  public void granted(LeaseId id, Granted granted, Supplier<Duration> ageAtServer) {
    boolean hangs = world.isFaulty() && !world.plan.quietWakes() && dice.chance(HANGING);
    if (!hangs && losesReport()) {
      return;
    }
    tellIn(hangs ? dice.between(0, LONGEST_HANG) : reportDelay(), id, granted);
    if (world.isFaulty() && dice.chance(world.plan.duplicates())) {
      world.saw(Sometimes.WAKE_DUPLICATED);
      tellIn(dice.spread(world.plan.fastest(), world.plan.latest()), id, granted);
    }
  }

  private void tellIn(long delay, LeaseId id, Granted granted) {
    process.post(
        delay,
        () ->
            messages.heard(id, granted.number(), granted.wanted(), granted.run(), new ToEngine()));
  }

  /** What has come to the process. */
  private final class ToEngine implements StoreListener {
    @Override
    public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
      world.judge.store.told(process, id, granted, age.get().toNanos());
      engine.granted(id, granted, age);
    }

    @Override
    public void wake(LeaseId id) {
      world.saw(Sometimes.TOLD_TOO_LATE);
      world.judge.store.woken(process, id);
      engine.wake(id);
    }

    @Override
    public void reconnected() {
      engine.reconnected();
    }

    @Override
    public void lost(Collection<LeaseId> ids) {
      engine.lost(ids);
    }
  }

  @Override
  public void wake(LeaseId id) {
    if (losesReport()) {
      return;
    }
    wakeIn(reportDelay(), id);
    if (world.isFaulty() && dice.chance(world.plan.duplicates())) {
      world.saw(Sometimes.WAKE_DUPLICATED);
      wakeIn(dice.spread(world.plan.fastest(), world.plan.latest()), id);
    }
  }

  private boolean losesReport() {
    boolean lost =
        condition == Condition.SILENT
            || condition == Condition.ONE_WAY
            || (world.isFaulty() && dice.chance(world.plan.lostWakes()));
    if (lost) {
      world.saw(Sometimes.WAKE_LOST);
    }
    return lost;
  }

  private long reportDelay() {
    return dice.between(world.plan.fastest() / 4, world.plan.slowest());
  }

  void wakeIn(long delay, LeaseId id) {
    process.post(
        delay,
        () -> {
          world.judge.store.woken(process, id);
          engine.wake(id);
        });
  }

  @Override
  public void reconnected() {
    // Told when the connection is up again: see reconnect.
  }

  @Override
  public void lost(Collection<LeaseId> ids) {
    List<LeaseId> gone = List.copyOf(ids);
    world.judge.revoked(gone);
    if (condition == Condition.OPEN
        && !(world.isFaulty() && dice.chance(world.plan.lostWakes() / 2))) {
      process.post(
          delay(),
          () -> {
            world.trace.line(process.name, "< lost " + gone.stream().map(world.trace::id).toList());
            engine.lost(gone);
          });
    }
  }

  // Faults

  Condition condition() {
    return condition;
  }

  void become(Condition newCondition) {
    world.trace.line(process.name, "link " + newCondition);
    condition = newCondition;
  }

  /** Breaks the connection: what is under way has an unknown outcome, and may still arrive. */
  void cut() {
    world.saw(Sometimes.CONNECTION_CUT);
    world.trace.line(process.name, "connection cut, " + open.size() + " under way");
    epoch++;
    for (CompletableFuture<?> answer : List.copyOf(open.values())) {
      process.post(
          dice.between(0, world.plan.slowest()), () -> answer.completeExceptionally(unknown()));
    }
    atServer.close();
    atServer = world.server.connect(this);
  }

  /** The connection is up again, and the engine is told so. */
  void reconnect() {
    condition = Condition.OPEN;
    process.post(
        delay(),
        () -> {
          world.trace.line(process.name, "reconnected");
          engine.reconnected();
        });
  }
}
