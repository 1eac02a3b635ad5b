package io.leasehold.redis;

import io.leasehold.spi.Traits.Calls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * What the store needs of a client library: to send commands, and to listen. Never repeats a
 * command by itself. Thread-safe.
 */
interface Wire extends AutoCloseable {
  /** Within which clients that lost their connections at once ask again. */
  long MOST_SPREAD_NANOS = 250_000_000;

  /** For messages: what it is connected to, without secrets. */
  String server();

  /** Whether {@link #send} blocks until it is answered. */
  Calls calls();

  /**
   * Sends commands together.
   *
   * @return the answer to each: null, a {@code Long}, a {@code byte[]}, a {@code List} of these, or
   *     a {@link ServerError}. Fails with {@link io.leasehold.StoreException} if any is not
   *     answered.
   */
  CompletionStage<List<Object>> send(List<Command> commands, Duration within);

  /**
   * Listens to a channel until it is closed, over one connection that is made again when it breaks,
   * or another server has come to be behind the address.
   *
   * @param message told of each message
   * @param again told a moment after the connection was made again, each time but the first: the
   *     moment is drawn by lot, for those of all clients break at once
   */
  Listening listen(String channel, Consumer<String> message, Runnable again);

  /**
   * Told whenever there are connections again after the server ended some: it may be another server
   * now. On a thread that may send.
   */
  void onReconnect(Runnable told);

  @Override
  void close();

  /**
   * Nanoseconds, drawn by lot, so that clients whose connections broke at once do not all ask at
   * once.
   */
  static long soon() {
    return ThreadLocalRandom.current().nextLong(MOST_SPREAD_NANOS);
  }

  /** A channel that is listened to. */
  interface Listening {
    /**
     * Completes once the channel is listened to, with a number that rises with each connection.
     * Fails as {@link Wire#send} does.
     */
    CompletionStage<Integer> established(Duration within);

    /** The number of the connection; 0 while there is none. */
    int connection();
  }
}
