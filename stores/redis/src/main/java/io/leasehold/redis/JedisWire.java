package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Log;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests on the threads of their callers, over a few connections of its own. Who finds all
 * of them in use waits in line. The thread that is done with a connection sends for the line, and
 * one of the line reads the answers for all of it (flat combining: Hendler, Incze, Shavit, Tzafrir,
 * SPAA 2010).
 */
final class JedisWire extends JedisConnected {
  static final int MOST_CONNECTIONS = 3;

  /** So many bytes. */
  private static final int MOST_SENT_FOR_OTHERS = 8 * 1024;

  private static final Comparator<Call> BY_END = (a, b) -> Long.signum(a.end - b.end);

  private final Deque<Link> idle = new ArrayDeque<>();
  private final Line line = new Line();

  /** Those in use included, and those that are being made. */
  private int open;

  private int opening;

  /** All that are made, those in use included. */
  private final Set<Link> links = new HashSet<>();

  JedisWire(Connections connections, Clock clock) {
    super(connections, clock);
    follow();
  }

  @Override
  public Calls calls() {
    return Calls.BLOCKING;
  }

  @Override
  public CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    return send(commands, within, CompletableFuture::completedFuture);
  }

  @Override
  public <T extends @Nullable Object> CompletionStage<T> send(
      List<Command> commands, Duration within, Function<List<Object>, CompletionStage<T>> then) {
    Call call = new Call(commands, clock.nanos() + Durations.nanos(within));
    Link connection = take(call);
    if (connection == null) {
      connection = await(call);
    }
    if (connection != null) {
      lead(connection, call);
    }
    return call.then(then);
  }

  /** In line, until it is given a connection to lead with; null if it has ended before. */
  private @Nullable Link await(Call call) {
    try {
      call.await(clock);
      return call.isAnswered() ? null : inTime(call);
    } catch (RuntimeException | Error e) {
      leave(call, e);
      return null;
    }
  }

  /** It cannot go on, whatever it is: no other call may wait for it. */
  private void leave(Call call, Throwable why) {
    boolean unsent;
    synchronized (mutex) {
      unsent = line.remove(call);
    }
    call.giveUp(unsent ? unsent(why) : connections.unknown(why));
    Link given = call.connection();
    if (given != null) {
      broke(given, call.batch, why);
    }
  }

  /** A connection that is free, and there; null if the call waits in line, or has failed. */
  private @Nullable Link take(Call call) {
    Link free = takeIdle(call);
    while (free != null && !isThere(free, call)) {
      drop(free, true);
      free = takeIdle(call);
    }
    return free;
  }

  private boolean isThere(Link free, Call call) {
    try {
      return free.isThere(clock.nanos(), call.end);
    } catch (RuntimeException | Error e) {
      Log.debug("a connection is not used again", e);
      return false;
    }
  }

  private @Nullable Link takeIdle(Call call) {
    synchronized (mutex) {
      if (closed) {
        call.fail(closed());
        return null;
      }
      Link free = idle.pollLast();
      if (free == null) {
        line.add(call);
        openIfWanted();
      }
      return free;
    }
  }

  /** The connection that the call was given, if it is to use it; else the call has ended. */
  private @Nullable Link inTime(Call call) {
    if (call.connection() == null) {
      synchronized (mutex) {
        call.giveUp(line.remove(call) ? noneFree() : late());
      }
    }
    Link given = call.connection();
    if (given == null || call.isSent || call.end - clock.nanos() > 0) {
      return given;
    }
    // Its time ended while it was chosen: another of them leads.
    synchronized (mutex) {
      line.giveBack(call);
    }
    call.fail(noneFree());
    pass(given);
    return null;
  }

  private StoreException late() {
    return new StoreException(Failure.UNKNOWN_OUTCOME, server() + " did not answer in time", null);
  }

  // ---- sending

  /** Sends and reads for all of the batch; then the connection is free for others. */
  private void lead(Link connection, Call leader) {
    List<Call> batch = leader.batch;
    boolean refused = false;
    try {
      if (!leader.isSent) {
        write(connection, batch);
        // At once: what a read needs can be done while the server works
        connection.flush();
      }
      boolean oneMore = false;
      for (Call call : batch) {
        List<Object> answers = new ArrayList<>(call.commands.length);
        for (Command command : call.commands) {
          if (!command.isAboutAllBefore()) {
            Object answer = read(connection, leader);
            refused |= JedisConnected.isOfReplica(answer);
            answers.add(answer);
          }
        }
        oneMore |= !call.answer(answers);
      }
      if (oneMore) {
        Object last = read(connection, leader);
        batch.forEach(call -> call.answerLast(last));
      }
    } catch (RuntimeException | Error e) {
      broke(connection, batch, e);
      return;
    }
    if (refused) {
      // The primary is elsewhere now, perhaps already behind the same address.
      reconnects.demoted();
      drop(connection, true);
      takeOvers.happened();
    } else {
      pass(connection);
    }
  }

  private void broke(Link connection, List<Call> batch, Throwable why) {
    // Whatever it is, no call waits for this connection any longer.
    try {
      StoreException unknown = unknown(connection, why);
      batch.forEach(call -> call.fail(unknown));
    } finally {
      // If the server ended it, the idle ones are taken to be broken too.
      drop(connection, !(why.getCause() instanceof SocketTimeoutException));
    }
  }

  /**
   * Writes what all of the batch send. What asks about all before it stands at the end, once: of
   * the one that has the most time.
   */
  private static void write(Link connection, List<Call> batch) {
    Command aboutAll = null;
    long latest = 0;
    for (Call call : batch) {
      for (Command command : call.commands) {
        if (!command.isAboutAllBefore()) {
          connection.write(command);
        } else if (aboutAll == null || call.end - latest > 0) {
          aboutAll = command;
          latest = call.end;
        }
      }
    }
    if (aboutAll != null) {
      connection.write(aboutAll);
    }
  }

  private @Nullable Object read(Link connection, Call leader) {
    return connection.read(leader.end - clock.nanos());
  }

  /** Gives a free connection to those in line, or puts it aside. */
  private void pass(Link connection) {
    List<Call> batch = List.of();
    try {
      long now = clock.nanos();
      boolean useless;
      synchronized (mutex) {
        useless = !connection.leadsTo(place);
        if (!useless) {
          batch = line.takeFirst();
          useless = batch.isEmpty() && closed;
        }
        if (!useless && batch.isEmpty()) {
          connection.idleSince = now;
          idle.addLast(connection);
        }
      }
      if (useless) {
        drop(connection, false);
      } else if (!batch.isEmpty()) {
        pass(connection, batch);
      }
    } catch (RuntimeException | Error e) {
      broke(connection, batch, e);
    }
  }

  /**
   * Sends for those that wait, and leaves the reading to the one of them with the most time: until
   * it has woken up, requests that came later would overtake theirs on other connections.
   */
  private void pass(Link connection, List<Call> batch) {
    // More could fill what the system holds for the server: then the write waits until it reads
    int size = 0;
    for (Call call : batch) {
      size += call.size();
    }
    boolean sent = size <= MOST_SENT_FOR_OTHERS;
    if (sent) {
      write(connection, batch);
      connection.flush();
    }
    List<Call> candidates = new ArrayList<>(batch);
    while (!candidates.isEmpty()) {
      Call leader = Collections.max(candidates, BY_END);
      leader.batch = batch;
      leader.isSent = sent;
      if (leader.lead(connection)) {
        return;
      }
      candidates.remove(leader);
    }
    // All have given up
    if (sent) {
      drop(connection, false);
    } else {
      pass(connection);
    }
  }

  // ---- connections

  private void openIfWanted() {
    if (open < MOST_CONNECTIONS && opening < line.size()) {
      open++;
      opening++;
      threads.background(this::open);
    }
  }

  /** On a thread of its own, since it may take longer than a caller has. */
  private void open() {
    Link made = null;
    StoreException failed = null;
    try {
      made = connections.open();
    } catch (StoreException e) {
      failed = e;
    }
    List<Call> hopeless = List.of();
    synchronized (mutex) {
      opening--;
      if (made != null) {
        links.add(made);
      } else {
        open--;
        if (open == opening && opening == 0) {
          hopeless = line.takeAll();
        }
      }
    }
    if (made != null) {
      pass(made);
      reconnects.made();
    } else if (failed != null) {
      for (Call call : hopeless) {
        call.fail(failed);
      }
    }
  }

  /** A connection is of no use any more, and perhaps those that are idle. */
  private void drop(Link useless, boolean idleToo) {
    List<Link> ended = new ArrayList<>(List.of(useless));
    reconnects.broke();
    synchronized (mutex) {
      if (idleToo) {
        ended.addAll(idle);
        idle.clear();
      }
      for (Link each : ended) {
        // Once only, whatever failed meanwhile
        open -= links.remove(each) ? 1 : 0;
      }
      openIfWanted();
    }
    ended.forEach(Link::end);
  }

  @Override
  void moved(String where) {
    List<Link> elsewhere;
    boolean another;
    synchronized (mutex) {
      another = !place.isEmpty() && !place.equals(where);
      place = where;
      elsewhere = links.stream().filter(link -> !link.leadsTo(where)).toList();
      for (Link link : elsewhere) {
        if (idle.remove(link)) {
          links.remove(link);
          open--;
        }
      }
    }
    if (!elsewhere.isEmpty()) {
      reconnects.broke();
      reconnects.demoted();
      elsewhere.forEach(Link::end);
    }
    if (another || !elsewhere.isEmpty()) {
      takeOvers.happened();
    }
  }

  @Override
  public void close() {
    List<Call> left;
    List<Link> unused;
    synchronized (mutex) {
      if (closed) {
        return;
      }
      closed = true;
      left = line.takeAll();
      unused = List.copyOf(idle);
      idle.clear();
    }
    left.forEach(call -> call.fail(closed()));
    unused.forEach(Link::end);
    end();
  }
}
