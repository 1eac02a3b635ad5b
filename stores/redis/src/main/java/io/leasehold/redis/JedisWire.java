package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.internal.Threads;
import io.leasehold.spi.Traits.Calls;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * Sends requests on the threads of their callers, over a few connections of its own. Who finds all
 * of them in use waits in line; the next connection that comes free is given to one of the line,
 * who sends and reads for all of them (flat combining: Hendler, Incze, Shavit, Tzafrir, SPAA 2010).
 */
final class JedisWire implements Wire {
  private static final int MOST_CONNECTIONS = 8;
  private static final int MOST_TOGETHER = 64;

  private final Connections connections;
  private final Clock clock;
  private final Threads threads = new Threads();
  private final ReentrantLock mutex = new ReentrantLock();
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final Deque<Call> line = new ArrayDeque<>();
  private final List<JedisListening> listenings = new ArrayList<>();

  /** Those in use included, and those that are being made. */
  private int open;

  private int opening;
  private boolean closed;

  JedisWire(Connections connections, Clock clock) {
    this.connections = connections;
    this.clock = clock;
  }

  @Override
  public String server() {
    return connections.server();
  }

  @Override
  public Calls calls() {
    return Calls.BLOCKING;
  }

  @Override
  public CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    Call call = new Call(commands, clock.nanos() + within.toNanos());
    Connection connection = take(call);
    if (connection == null) {
      call.await(clock);
      connection = call.isAnswered() ? null : inTime(call);
    }
    if (connection != null) {
      lead(connection, call);
    }
    return call.result();
  }

  /** A connection that is free; null if the call waits in line, or has failed. */
  private @Nullable Connection take(Call call) {
    mutex.lock();
    try {
      if (closed) {
        call.fail(closed());
        return null;
      }
      Connection free = idle.pollLast();
      if (free == null) {
        line.addLast(call);
        openIfWanted();
      }
      return free;
    } finally {
      mutex.unlock();
    }
  }

  private StoreException closed() {
    return new StoreException(
        Failure.UNAVAILABLE, "the connection to " + server() + " was closed", null);
  }

  /** The connection that the call was given, if it still has time to use it; else it has failed. */
  private @Nullable Connection inTime(Call call) {
    mutex.lock();
    try {
      Connection given = call.connection();
      if (given != null && call.end - clock.nanos() > 0) {
        return given;
      }
      if (given != null) {
        // Its time ended while it was chosen: another of them leads.
        for (Call other : reversed(call.batch)) {
          if (other != call && !other.isAnswered()) {
            line.addFirst(other);
          }
        }
        call.fail(noneFree());
        pass(given);
      } else if (line.remove(call)) {
        call.fail(noneFree());
      } else {
        call.fail(
            new StoreException(
                Failure.UNKNOWN_OUTCOME, server() + " did not answer in time", null));
      }
      return null;
    } finally {
      mutex.unlock();
    }
  }

  private StoreException noneFree() {
    return new StoreException(
        Failure.UNAVAILABLE, "no connection to " + server() + " was free in time", null);
  }

  // ---- sending

  /** Sends and reads for all of the batch; then the connection is free for others. */
  private void lead(Connection connection, Call leader) {
    List<Call> batch = leader.batch;
    int answered = 0;
    try {
      for (Call call : batch) {
        call.commands.forEach(command -> Connections.write(connection, command));
      }
      for (Call call : batch) {
        List<Object> answers = new ArrayList<>(call.commands.size());
        for (int i = 0; i < call.commands.size(); i++) {
          Duration left = Duration.ofNanos(leader.end - clock.nanos());
          answers.add(Connections.read(connection, left));
        }
        answered++;
        call.answer(answers);
      }
    } catch (RuntimeException e) {
      // Whatever it is, nobody waits for this connection any longer.
      StoreException unknown = connections.unknown(e);
      batch.subList(answered, batch.size()).forEach(call -> call.fail(unknown));
      drop(connection, e);
      return;
    }
    pass(connection);
  }

  /** Gives a free connection to those in line, or puts it aside. */
  private void pass(Connection connection) {
    mutex.lock();
    try {
      Call leader = nextLeader();
      if (leader != null) {
        leader.lead(connection);
      } else if (closed) {
        open--;
        Connections.end(connection);
      } else {
        idle.addLast(connection);
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Takes the first of the line out of it; the one with the most time left leads them. */
  private @Nullable Call nextLeader() {
    if (line.isEmpty()) {
      return null;
    }
    List<Call> batch = new ArrayList<>(Math.min(MOST_TOGETHER, line.size()));
    Call leader = line.getFirst();
    while (batch.size() < MOST_TOGETHER && !line.isEmpty()) {
      Call call = line.removeFirst();
      batch.add(call);
      if (call.end - leader.end > 0) {
        leader = call;
      }
    }
    leader.batch = batch;
    return leader;
  }

  // ---- connections

  private void openIfWanted() {
    if (open < MOST_CONNECTIONS && opening < line.size()) {
      open++;
      opening++;
      threads.request(this::open);
    }
  }

  /** On a thread of its own, since it may take longer than a caller has. */
  private void open() {
    Connection made = null;
    StoreException failed = null;
    try {
      made = connections.open();
    } catch (StoreException e) {
      failed = e;
    }
    List<Call> hopeless = List.of();
    mutex.lock();
    try {
      opening--;
      if (made == null) {
        open--;
        if (open == opening && opening == 0) {
          hopeless = List.copyOf(line);
          line.clear();
        }
      }
    } finally {
      mutex.unlock();
    }
    if (made != null) {
      pass(made);
    } else if (failed != null) {
      for (Call call : hopeless) {
        call.fail(failed);
      }
    }
  }

  /** A connection broke. If the server ended it, the idle ones are taken to be broken too. */
  private void drop(Connection broken, RuntimeException why) {
    List<Connection> ended = new ArrayList<>(List.of(broken));
    boolean silent = why.getCause() instanceof SocketTimeoutException;
    mutex.lock();
    try {
      if (!silent) {
        ended.addAll(idle);
        idle.clear();
      }
      open -= ended.size();
      openIfWanted();
    } finally {
      mutex.unlock();
    }
    ended.forEach(Connections::end);
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> copy = new ArrayList<>(list);
    Collections.reverse(copy);
    return copy;
  }

  @Override
  public Listening listen(String channel, Consumer<String> message, Runnable again) {
    JedisListening listening =
        new JedisListening(connections, threads, clock, channel, message, again);
    mutex.lock();
    try {
      listenings.add(listening);
    } finally {
      mutex.unlock();
    }
    return listening;
  }

  @Override
  public void close() {
    List<Call> left;
    List<Connection> unused;
    mutex.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      left = List.copyOf(line);
      line.clear();
      unused = List.copyOf(idle);
      idle.clear();
    } finally {
      mutex.unlock();
    }
    left.forEach(call -> call.fail(closed()));
    unused.forEach(Connections::end);
    listenings.forEach(JedisListening::close);
    threads.close();
  }
}
