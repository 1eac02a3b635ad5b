package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.GrantMessages;
import io.leasehold.spi.support.GrantMessages.Moment;
import io.leasehold.spi.support.GrantMessages.Word;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Leases as keys of a Redis or Valkey server: one key a name. Each verb is one script, or one
 * command where the server can compare by itself. Thread-safe.
 */
final class RedisStore implements LockStore {
  /** No request lands later than this after its connection was given up. */
  private static final byte[] TOMBSTONE_MILLIS = Command.digits(60_000);

  /** After which a grant that was not confirmed falls back: as now.lua has it. */
  private static final long CONFIRM_MILLIS = 2500;

  /** As long as a poll may take. */
  private static final Duration ASKED_WITHIN = Duration.ofSeconds(1);

  /** How long the first answers of a server may take. */
  private static final Duration OPENING = Duration.ofSeconds(5);

  /** A server that is silent is not asked again. */
  private static final Duration LEAST_AGAIN = Duration.ofSeconds(1);

  private final Node node;
  private final Keys keys;

  /** Which grants count; empty if all do. */
  private final Optional<Replication> replication;

  private final Clock clock;
  private final StoreListener listener;
  private final Settling settling;
  private final SoleLeases sole;
  private final Renewing renewing;
  private final RedisOperator operator;
  private final Ended ended;
  private final GrantMessages messages;
  private final Channels channels;
  private final Asked asked = new Asked();

  private final Map<LeaseId, Waiting> waiting = new ConcurrentHashMap<>();

  /**
   * One that is queued.
   *
   * @param asked by which attempt
   */
  private record Waiting(Ticket ticket, Asking asked) {}

  /**
   * Opens one.
   *
   * @throws StoreException if the server cannot be reached, or refuses; the wire is then closed
   */
  static LockStore open(
      Wire wire,
      Keys keys,
      Optional<Replication> replication,
      Clock clock,
      StoreListener listener) {
    try {
      Node node = probe(wire, keys, replication, clock);
      node.findings().forEach(listener::found);
      Settling settling = new Settling(node, keys, clock);
      settling.open(OPENING);
      return new RedisStore(node, keys, settling, replication, clock, listener);
    } catch (RuntimeException e) {
      wire.close();
      throw e;
    }
  }

  /** Asks once more if the primary became another one before it answered. */
  private static Node probe(Wire wire, Keys keys, Optional<Replication> replication, Clock clock) {
    long end = clock.nanos() + OPENING.toNanos();
    try {
      return probe(wire, keys, replication, clock, OPENING);
    } catch (StoreException e) {
      Duration left = Duration.ofNanos(end - clock.nanos());
      if (e.failure() != Failure.UNKNOWN_OUTCOME || left.compareTo(LEAST_AGAIN) < 0) {
        throw e;
      }
      Log.debug("the first question had no answer, and is asked again", e);
      return probe(wire, keys, replication, clock, left);
    }
  }

  private static Node probe(
      Wire wire, Keys keys, Optional<Replication> replication, Clock clock, Duration within) {
    Node node = Node.probe(wire, clock, keys, within);
    replication.ifPresent(wanted -> wanted.require(wire, within));
    return node;
  }

  /** Over connections of Jedis. */
  static LockStore open(Connections connections, Keys keys, Clock clock, StoreListener listener) {
    ClientLibrary.JEDIS.require();
    return open(new JedisWire(connections, clock), keys, Optional.empty(), clock, listener);
  }

  private RedisStore(
      Node node,
      Keys keys,
      Settling settling,
      Optional<Replication> replication,
      Clock clock,
      StoreListener listener) {
    this.node = node;
    this.keys = keys;
    this.settling = settling;
    this.replication = replication;
    this.clock = clock;
    this.listener = listener;
    this.sole = new SoleLeases(node);
    this.messages = new GrantMessages(clock);
    this.renewing = new Renewing(node, keys, sole, messages, clock);
    this.operator = new RedisOperator(node, keys, clock);
    this.ended = new Ended(operator, this::withdraw, clock);
    this.channels = new Channels(node, keys, this::heard, this::askAboutAll);
    node.wire().onTakeOver(() -> ended.withdraw(ASKED_WITHIN));
  }

  private void heard(byte[] text) {
    Message message = Message.parse(text);
    if (message == null) {
      return;
    }
    if (message.number() == 0 || replication.isPresent()) {
      // Such a grant counts by the attempt that finds it
      listener.wake(message.id());
    } else {
      messages.heard(message.id(), message.number(), message.wanted(), message.run(), listener);
    }
  }

  /** Whether no other ticket waits: what concerns others is not left to the caller of one. */
  private boolean isAlone(LeaseId id) {
    return waiting.size() == 1 && waiting.containsKey(id);
  }

  /** Messages on a channel may have been lost: asks in one batch which are worth an attempt. */
  private void askAboutAll(String channel) {
    askAbout(
        waiting.values().stream()
            .filter(each -> each.asked.listening.channel().equals(channel))
            .map(Waiting::ticket)
            .toList(),
        true);
  }

  /**
   * Asks about tickets that wait. What is not answered then is asked about by the next poll.
   *
   * @param again whether those are asked about once more that failed: what broke the subscription
   *     may have broken other connections
   */
  private void askAbout(List<Ticket> tickets, boolean again) {
    Map<LeaseId, Ticket> unanswered = new ConcurrentHashMap<>();
    tickets.forEach(ticket -> unanswered.put(ticket.id(), ticket));
    AtomicInteger left = new AtomicInteger(tickets.size());
    renewing.renew(
        tickets,
        ASKED_WITHIN,
        (id, answer) -> {
          if (!(answer instanceof Renewal.Unknown)) {
            unanswered.remove(id);
            if (!(answer instanceof Renewal.Waiting)) {
              listener.wake(id);
            }
          }
          if (left.decrementAndGet() == 0 && again && !unanswered.isEmpty()) {
            askAbout(List.copyOf(unanswered.values()), false);
          }
        });
  }

  /** What an answer that a ticket waits says of later grants. */
  static Word word(Ticket ticket, Moment sent, long mark) {
    // A poll does not write the life of a ticket anew while three quarters of it are left
    long least = Math.min(CONFIRM_MILLIS, ticket.ttl().toMillis() / 4 * 3);
    return new Word(sent, mark, Duration.ofMillis(least));
  }

  @Override
  public Traits traits() {
    return new Traits(
            "redis",
            node.wire().isLasting()
                ? Set.of(Trait.FENCING, Trait.FIFO, Trait.SURVIVES_RESTART)
                : Set.of(Trait.FENCING, Trait.FIFO),
            Duration.ofMillis(100),
            Duration.ofDays(30),
            Duration.ofMillis(1),
            new Traits.Poll(Duration.ofSeconds(1), Duration.ofSeconds(1), Traits.Signals.GRANTED),
            Traits.Life.TTL,
            node.wire().calls())
        .with(Traits.Numbers.ASKED_FOR)
        .with(Traits.Neighbours.TOGETHER)
        .with(Traits.Hearing.BY_CALLERS);
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return ask(
        List.of(ticket), within, (reply, asked) -> answered(ticket, Replies.list(reply), asked));
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    return ask(
        tickets,
        within,
        (reply, asked) -> {
          List<?> replies = Replies.attempts(reply);
          List<Attempt> answers = new ArrayList<>(tickets.size());
          for (int i = 0; i < tickets.size(); i++) {
            answers.add(answered(tickets.get(i), Replies.list(replies.get(i)), asked));
          }
          return answers;
        });
  }

  /**
   * What is known of an attempt when it is sent.
   *
   * @param heardOn the connection that listens
   */
  private record Asking(Moment sent, Wire.Listening listening, int heardOn) {
    /** Whether it still does; looked at once what is to be reported is remembered. */
    boolean isHeard() {
      return heardOn != 0 && listening.connection() == heardOn && listening.keepsHearing();
    }
  }

  private <T> CompletionStage<T> ask(
      List<Ticket> tickets, Duration within, BiFunction<@Nullable Object, Asking, T> answer) {
    return settling.isSettled()
        ? ask(tickets, settling.mayChange(), within, answer)
        : askOnceSettled(tickets, within, answer);
  }

  private <T> CompletionStage<T> askOnceSettled(
      List<Ticket> tickets, Duration within, BiFunction<@Nullable Object, Asking, T> answer) {
    long end = clock.nanos() + within.toNanos();
    return settling.settle(within).thenCompose(done -> ask(tickets, false, left(end), answer));
  }

  /**
   * Attempts.
   *
   * @param carefully to do nothing if the bucket is not in use yet: then the layout is asked for
   */
  private <T> CompletionStage<T> ask(
      List<Ticket> tickets,
      boolean carefully,
      Duration within,
      BiFunction<@Nullable Object, Asking, T> answer) {
    long end = clock.nanos() + within.toNanos();
    String name = tickets.get(0).name();
    Wire.Listening listening = channels.of(name);
    Asking asking = new Asking(messages.now(), listening, listening.connection());
    List<byte[]> ids = Asked.ids(tickets);
    List<byte[]> touched = keys.of(name).touchedWith(ids);
    List<byte[]> arguments = asked.of(tickets, ids, carefully, listening.channel());
    return Node.then(
        node.run(Script.ATTEMPT, name, touched, arguments, replication, within),
        reply ->
            carefully && Replies.isUnsettled(reply)
                ? askOnceSettled(tickets, left(end), answer)
                : CompletableFuture.completedFuture(answer.apply(reply, asking)));
  }

  private Attempt answered(Ticket ticket, List<?> reply, Asking asked) {
    Attempt answer = Replies.attempt(reply);
    if (answer instanceof Attempt.Queued) {
      messages.queued(ticket.id(), word(ticket, asked.sent(), Replies.mark(reply)));
    } else {
      messages.forget(ticket.id());
    }
    remember(ticket, answer, asked);
    return answer instanceof Attempt.Queued queued && asked.isHeard() ? queued.asWatched() : answer;
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  private void remember(Ticket ticket, Attempt answer, Asking asked) {
    if (answer instanceof Attempt.Queued) {
      boolean again = waiting.put(ticket.id(), new Waiting(ticket, asked)) != null;
      if (again || waiting.size() > 1) {
        asked.listening.hearWithoutCallers();
      }
    } else {
      forget(ticket.id());
    }
    if (answer instanceof Attempt.Granted granted && !granted.wanted()) {
      sole.add(ticket, granted.number());
    }
  }

  private void forget(LeaseId id) {
    if (!waiting.isEmpty()) {
      waiting.remove(id);
    }
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    sole.remove(ticket.id());
    forget(ticket.id());
    messages.forget(ticket.id());
    int begun = ended.begin();
    return withdraw(ticket.name(), ticket.id(), within)
        .thenApply(
            answer -> {
              ended.add(ticket.name(), ticket.id(), begun);
              return answer;
            });
  }

  private CompletionStage<Boolean> withdraw(String name, LeaseId lease, Duration within) {
    Keys.OfName of = keys.of(name);
    byte[] id = Asked.id(lease);
    List<byte[]> touched = of.touchedWith(List.of(id));
    List<byte[]> asked = List.of(id, TOMBSTONE_MILLIS);
    return node.run(Script.WITHDRAW, name, touched, asked, within).thenApply(Replies::isOne);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    renewing.renew(
        List.copyOf(tickets),
        within,
        (id, answer) -> {
          if (answer instanceof Renewal.Renewed || answer instanceof Renewal.Gone) {
            forget(id);
          }
          each.accept(id, answer);
        });
  }

  /**
   * A lease that goes back.
   *
   * @param served along it
   * @param begun as {@link Ended#add} takes it
   */
  private record Leaving(Ticket ticket, Collection<LeaseId> served, int begun) {}

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return release(ticket, List.of(), within);
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    // Before it is sent: a lease that goes back is not asked about, which would renew it
    boolean handedOver = messages.take(ticket.id()) != 0;
    forget(ticket.id());
    for (LeaseId id : served) {
      forget(id);
      messages.forget(id);
    }
    Leaving leaving = new Leaving(ticket, served, ended.begin());
    byte[] value = sole.value(ticket);
    if (value == null) {
      return releaseByScript(leaving, handedOver, within);
    }
    // One command, and no script, unless another client came to wait. A repeat asks the script.
    sole.remove(ticket.id());
    long end = clock.nanos() + within.toNanos();
    return node.compare(node.deleteIf(keys.of(ticket.name()).state(), value), within)
        .thenCompose(
            reply ->
                Replies.isOne(reply)
                    ? answered(leaving, Release.RELEASED)
                    : releaseByScript(leaving, true, left(end)));
  }

  /**
   * Releases a lease that may be one of several, or waited for.
   *
   * @param contended whether it is so likely to be handed on that it is worth a command more
   */
  private CompletionStage<Release> releaseByScript(
      Leaving leaving, boolean contended, Duration within) {
    String name = leaving.ticket.name();
    Keys.OfName of = keys.of(name);
    List<byte[]> touched = of.touched();
    List<byte[]> arguments = Asked.ofRelease(leaving.ticket.id(), leaving.served);
    long end = clock.nanos() + within.toNanos();
    return Node.then(
        Node.orAlone(
            node.runForOthers(contended, Script.RELEASE, name, touched, arguments, within),
            () -> node.run(Script.RELEASE, name, List.of(of.state()), arguments, left(end))),
        reply -> {
          if (reply instanceof byte[] message) {
            // The next one waits here: no other client is told.
            heard(message);
            return answered(leaving, Release.RELEASED);
          }
          return answered(leaving, Replies.isOne(reply) ? Release.RELEASED : Release.NOT_HELD);
        });
  }

  /** What the server has answered is remembered. */
  private CompletionStage<Release> answered(Leaving leaving, Release answer) {
    String name = leaving.ticket.name();
    ended.add(name, leaving.ticket.id(), leaving.begun);
    for (LeaseId id : leaving.served) {
      ended.add(name, id, leaving.begun);
    }
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    Waiting queued = waiting.get(ticket.id());
    return (queued == null ? channels.of(ticket.name()) : queued.asked.listening)
        .established()
        .thenApply(
            now ->
                queued != null && queued.asked.heardOn == now
                    ? Watch.NOTHING_MISSED
                    : Watch.ATTEMPT_AGAIN);
  }

  @Override
  public boolean hear(Ticket ticket, Duration within) {
    LeaseId id = ticket.id();
    Waiting queued = waiting.get(id);
    return queued != null
        && isAlone(id)
        && within.compareTo(JedisListening.LONGEST_HEARING) >= 0
        && queued.asked.listening.hear(() -> isAlone(id) && messages.told(id) != 0);
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(operator);
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return NodeFindings.ask(node, within);
  }

  @Override
  public void close() {
    node.wire().close();
  }
}
