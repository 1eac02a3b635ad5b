package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What wires over connections of Jedis have in common: all but who sends and who reads. */
abstract class JedisConnected implements Wire {
  final Connections connections;
  final Clock clock;
  final Threads threads = new Threads();
  final Object mutex = new Object();
  final Reconnects reconnects = new Reconnects();
  final TakeOvers takeOvers = new TakeOvers(threads);

  /** Where the server is; empty while that is not known, or if there is one place only. */
  String place = "";

  boolean closed;

  private Connections.Following following = () -> {};

  JedisConnected(Connections connections, Clock clock) {
    this.connections = connections;
    this.clock = clock;
  }

  /** The last step of its construction. */
  final void follow() {
    following = connections.follow(threads, clock, this::moved);
  }

  /** The server is there now: connections to elsewhere are ended, those in use as well. */
  abstract void moved(String where);

  @Override
  public final String server() {
    return connections.server();
  }

  @Override
  public final boolean isLasting() {
    return connections.isLasting();
  }

  @Override
  public final void onReconnect(Runnable told) {
    reconnects.onReconnect(told);
  }

  @Override
  public final void onTakeOver(Supplier<? extends CompletionStage<?>> told) {
    takeOvers.onTakeOver(told);
  }

  @Override
  public final Listening listen(String channel, Consumer<byte[]> message, Runnable again) {
    JedisListening listening = new JedisListening(connections, threads, clock);
    reconnects.add(listening);
    return listening.listen(channel, message, again);
  }

  /** Ends what is not of the subclass. */
  final void end() {
    following.close();
    reconnects.close();
    threads.close();
  }

  // ---- failures

  final StoreException closed() {
    return new StoreException(
        Failure.UNAVAILABLE, "the connection to " + server() + " was closed", null);
  }

  final StoreException noneFree() {
    return new StoreException(
        Failure.UNAVAILABLE, "no connection to " + server() + " was free in time", null);
  }

  /** Of a request whose thread could not go on before it was sent. */
  final StoreException unsent(Throwable why) {
    return new StoreException(
        Failure.UNAVAILABLE, "nothing was sent to " + server() + ": " + Reason.of(why), why);
  }

  /** Of requests that were sent on a connection that broke. */
  final StoreException unknown(Link connection, Throwable why) {
    synchronized (mutex) {
      return connection.leadsTo(place)
          ? connections.unknown(why)
          : new StoreException(
              Failure.UNKNOWN_OUTCOME,
              server() + " did not answer: it is at " + place + " now, and was elsewhere",
              why);
    }
  }

  static boolean anyOfReplica(List<Object> answers) {
    for (Object answer : answers) {
      if (isOfReplica(answer)) {
        return true;
      }
    }
    return false;
  }

  static boolean isOfReplica(@Nullable Object answer) {
    return answer instanceof ServerError error && error.isOfReplica();
  }
}
