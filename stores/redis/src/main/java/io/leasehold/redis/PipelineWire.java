package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Sends requests on the threads of their callers over one connection, and does not wait for the
 * answers: one thread reads those of all such wires, or one of its own where there is TLS. For a
 * server that is asked together with others, so that a caller can ask all of them before it waits.
 */
final class PipelineWire extends JedisConnected {
  /**
   * So many bytes may be sent and not be answered; what comes then waits. The system can hold them
   * for a server that does not read, so that no sender blocks.
   */
  private static final int MOST_UNANSWERED = 32 * 1024;

  /** A server that has not answered a request for so long is connected to anew. */
  private static final long SILENCE_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long SWEEP_NANOS = Duration.ofMillis(100).toNanos();

  private static final Duration FOREVER = Duration.ofDays(24);

  /** A thread that writes for others goes on with its own work after so many batches. */
  private static final int MOST_BATCHES = 8;

  private final Deque<Request> line = new ArrayDeque<>();

  /** Those that are sent, in the order of their answers. */
  private final Deque<Request> sent = new ArrayDeque<>();

  private int unanswered;

  private @Nullable Link current;

  /** The connection that a thread writes to; null if none does. */
  private @Nullable Link writing;

  private boolean opening;

  /** Since when the connection has had nothing to do. */
  private long idleSince;

  private boolean sweeping;

  /** What is asked at once. */
  private final class Request {
    final List<Command> commands;
    final List<Object> answers;
    final int size;
    final CompletableFuture<List<Object>> outcome = new CompletableFuture<>();

    /** By when it must be answered. */
    final long end;

    /** Whether a thread has begun to write it. */
    volatile boolean written;

    /** From when on the server is taken to be silent. */
    long silence;

    Request(List<Command> commands, Duration within) {
      this.commands = commands;
      this.answers = new ArrayList<>(commands.size());
      this.size = Command.size(commands);
      this.end = clock.nanos() + within.toNanos();
    }

    void fail(StoreException why) {
      outcome.completeExceptionally(why);
    }
  }

  /** What is written next. */
  private record Batch(Link to, List<Request> requests) {}

  PipelineWire(Connections connections, Clock clock) {
    super(connections, clock);
    follow();
  }

  @Override
  public Calls calls() {
    return Calls.NON_BLOCKING;
  }

  // ---- sending

  @Override
  public CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    Request request = new Request(commands, within);
    try {
      begin(request);
    } catch (RuntimeException | Error e) {
      leave(request, e);
    }
    return request.outcome;
  }

  private void begin(Request request) {
    Batch next;
    Link old;
    synchronized (mutex) {
      if (closed) {
        request.fail(closed());
        return;
      }
      line.addLast(request);
      old = takeOld();
      next = next();
      openIfWanted();
      sweepLater();
    }
    if (old != null) {
      old.end();
    }
    write(next);
  }

  /** The thread cannot go on, whatever it is: the request must not go out later. */
  private void leave(Request request, Throwable why) {
    boolean unsent;
    Link used;
    synchronized (mutex) {
      unsent = line.remove(request);
      used = sent.contains(request) ? current : null;
    }
    if (unsent) {
      request.fail(unsent(why));
    } else if (used != null) {
      broke(used, why);
    }
  }

  /** A connection that the server, or something on the way, may soon end; it is in use no more. */
  private @Nullable Link takeOld() {
    Link idle = current;
    if (idle == null || !sent.isEmpty() || clock.nanos() - idleSince < Link.LONGEST_IDLE_NANOS) {
      return null;
    }
    current = null;
    reconnects.broke();
    return idle;
  }

  /** What may be sent, and is to be written by this thread; null if another one writes. */
  private @Nullable Batch next() {
    Link connection = current;
    if (connection == null || connection.equals(writing)) {
      return null;
    }
    List<Request> requests = new ArrayList<>();
    while (!line.isEmpty()
        && (sent.isEmpty() || unanswered + line.getFirst().size <= MOST_UNANSWERED)) {
      Request request = line.removeFirst();
      sent.addLast(request);
      unanswered += request.size;
      request.silence = Math.max(request.end, clock.nanos() + SILENCE_NANOS);
      requests.add(request);
    }
    if (requests.isEmpty()) {
      return null;
    }
    writing = connection;
    return new Batch(connection, requests);
  }

  /**
   * Writes, and what came meanwhile. Without the mutex: an answer may be there before the writing
   * thread is, and the thread that reads it would have to sleep.
   */
  private void write(@Nullable Batch first) {
    Batch batch = first;
    for (int count = 1; batch != null; count++) {
      Link to = batch.to;
      try {
        for (Request request : batch.requests) {
          request.written = true;
          request.commands.forEach(to::write);
        }
        to.flush();
      } catch (RuntimeException | Error e) {
        broke(to, e);
      }
      batch = after(to, count >= MOST_BATCHES);
    }
  }

  private @Nullable Batch after(Link written, boolean isLast) {
    synchronized (mutex) {
      if (written.equals(writing)) {
        writing = null;
      }
      // With the next answer the reader writes
      return isLast && !sent.isEmpty() ? null : next();
    }
  }

  // ---- reading

  /** What has come on a shared connection. The thread reads from others as well. */
  private void arrived(Link connection) {
    try {
      connection.take();
      while (connection.hasAnswer() && answered(connection, connection.receive())) {}
    } catch (RuntimeException | Error e) {
      broke(connection, e);
    }
  }

  /** Until it breaks. */
  private void read(Link connection) {
    try {
      connection.limit(FOREVER);
      while (answered(connection, connection.receive())) {}
    } catch (RuntimeException | Error e) {
      broke(connection, e);
    }
  }

  /** False if the connection was given up meanwhile. */
  private boolean answered(Link connection, @Nullable Object answer) {
    Request done;
    synchronized (mutex) {
      if (!connection.equals(current)) {
        return false;
      }
      done = sent.peekFirst();
      if (done == null || !done.written) {
        // Or the thread failed that was to ask it: then the next answers are not what they seem
        throw new JedisConnectionException("it answered what it was not asked");
      }
      done.answers.add(answer);
      if (done.answers.size() < done.commands.size()) {
        return true;
      }
      idleSince = clock.nanos();
      sent.removeFirst();
      unanswered -= done.size;
    }
    // From here on no failure of the connection finds it
    try {
      afterAnswers(connection, done.answers);
    } finally {
      done.outcome.complete(done.answers);
    }
    return true;
  }

  /** What answers bring about, before their request is told. */
  private void afterAnswers(Link connection, List<Object> answers) {
    Batch next;
    synchronized (mutex) {
      next = next();
    }
    write(next);
    if (JedisConnected.anyOfReplica(answers)) {
      // The primary is elsewhere now, perhaps already behind the same address.
      reconnects.demoted();
      broke(connection, new JedisConnectionException("it is a replica now"));
      takeOvers.happened();
    }
  }

  // ---- the connection

  private void openIfWanted() {
    if (current == null && !opening && !closed && !line.isEmpty()) {
      opening = true;
      threads.background(this::open);
    }
  }

  /** And reads from it until it breaks, unless it is shared. */
  private void open() {
    Link made = null;
    boolean shared = false;
    StoreException failed = null;
    try {
      Link opened = connections.open();
      shared = share(opened);
      made = opened;
    } catch (StoreException e) {
      failed = e;
    }
    List<Request> hopeless = List.of();
    Batch next = null;
    boolean useless;
    synchronized (mutex) {
      opening = false;
      useless = made == null || closed || !made.leadsTo(place);
      if (!useless) {
        current = made;
        idleSince = clock.nanos();
        next = next();
      } else if (failed != null) {
        hopeless = List.copyOf(line);
        line.clear();
      } else {
        openIfWanted();
      }
    }
    if (failed != null) {
      for (Request request : hopeless) {
        request.fail(failed);
      }
    } else if (made != null && useless) {
      made.end();
    } else if (made != null) {
      reconnects.made();
      write(next);
      if (!shared) {
        read(made);
      }
    }
  }

  /** Before a request can go out on it. */
  private boolean share(Link made) {
    try {
      return made.share(() -> arrived(made));
    } catch (RuntimeException | Error e) {
      made.end();
      throw new StoreException(
          Failure.UNAVAILABLE, "cannot read from " + server() + ": " + Reason.of(e), e);
    }
  }

  /** What was sent on it has an unknown outcome. */
  private void broke(Link connection, Throwable why) {
    List<Request> lost;
    synchronized (mutex) {
      if (!connection.equals(current)) {
        return;
      }
      lost = takeSent();
      openIfWanted();
    }
    connection.end();
    reconnects.broke();
    StoreException unknown = unknown(connection, why);
    lost.forEach(request -> request.fail(unknown));
  }

  private List<Request> takeSent() {
    current = null;
    List<Request> lost = List.copyOf(sent);
    sent.clear();
    unanswered = 0;
    return lost;
  }

  @Override
  void moved(String where) {
    Link left;
    boolean another;
    synchronized (mutex) {
      another = !place.isEmpty() && !place.equals(where);
      place = where;
      left = current == null || current.leadsTo(where) ? null : current;
    }
    if (left != null) {
      reconnects.demoted();
      broke(left, new JedisConnectionException("the server is elsewhere now"));
    }
    if (another || left != null) {
      takeOvers.happened();
    }
  }

  // ---- what takes too long

  private void sweepLater() {
    if (!sweeping && !(line.isEmpty() && sent.isEmpty())) {
      threads.schedule(this::sweep, SWEEP_NANOS);
      sweeping = true;
    }
  }

  /** Fails what was not sent in its time, and leaves a server that is silent. */
  private void sweep() {
    List<Request> late = new ArrayList<>();
    Link silent = null;
    synchronized (mutex) {
      sweeping = false;
      long now = clock.nanos();
      for (Iterator<Request> each = line.iterator(); each.hasNext(); ) {
        Request request = each.next();
        if (request.end - now <= 0) {
          each.remove();
          late.add(request);
        }
      }
      if (sent.stream().anyMatch(request -> request.silence - now <= 0)) {
        silent = current;
      }
      sweepLater();
    }
    late.forEach(request -> request.fail(noneFree()));
    if (silent != null) {
      broke(silent, new JedisConnectionException("no answer in time"));
    }
  }

  @Override
  public void close() {
    List<Request> left;
    List<Request> lost;
    Link connection;
    synchronized (mutex) {
      if (closed) {
        return;
      }
      closed = true;
      left = List.copyOf(line);
      line.clear();
      connection = current;
      lost = takeSent();
    }
    left.forEach(request -> request.fail(closed()));
    StoreException unknown =
        new StoreException(
            Failure.UNKNOWN_OUTCOME, "the connection to " + server() + " was closed", null);
    lost.forEach(request -> request.fail(unknown));
    if (connection != null) {
      connection.end();
    }
    end();
  }
}
