package io.leasehold.redis;

import io.leasehold.spi.Traits.Calls;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /** Whether it only ever connects to a server that forgets nothing by a restart. */
  default boolean isLasting() {
    return false;
  }

  /**
   * Sends commands together.
   *
   * @return the answer to each: null, a {@code Long}, a {@code byte[]}, a {@code List} of these, or
   *     a {@link ServerError}. Fails with {@link io.leasehold.StoreException} if any is not
   *     answered.
   */
  CompletionStage<List<Object>> send(List<Command> commands, Duration within);

  /** As {@link #send(List, Duration)}; yields what follows from the answers. */
  default <T extends @Nullable Object> CompletionStage<T> send(
      List<Command> commands, Duration within, Function<List<Object>, CompletionStage<T>> then) {
    return send(commands, within).thenCompose(then);
  }

  /**
   * Listens to a channel until it is closed, from the first time that a waiter asks for it, over a
   * connection that is made again when it breaks, or another server has come to be behind the
   * address. In a cluster the channel of a bucket is listened to where the bucket is.
   *
   * @param message told of each message
   * @param again told a moment after the connection was made again, each time but the first: the
   *     moment is drawn by lot, for those of all clients break at once
   */
  Listening listen(String channel, Consumer<byte[]> message, Runnable again);

  /**
   * Told whenever there are connections again after the server ended some: it may be another server
   * now. On a thread that may send.
   */
  void onReconnect(Runnable told);

  /**
   * Told whenever another server has taken over what this client asks for, which may not know all
   * that the one before answered. On a thread that may send; once more after a moment if what it
   * returns fails.
   */
  void onTakeOver(Supplier<? extends CompletionStage<?>> told);

  /** What keys must have in common to be in one request: in a cluster their slot. */
  default int place(byte[] key) {
    return 0;
  }

  /** The servers that have all keys between them. */
  default Collection<Wire> nodes() {
    return List.of(this);
  }

  /** Does work that sends; in a cluster at the same time as other such work. */
  default void apart(Runnable work) {
    work.run();
  }

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
    /** Its name. */
    String channel();

    /**
     * Completes once the channel is listened to, with a number that rises with each connection.
     * Fails if that fails; does not block, and has no limit of time.
     */
    CompletionStage<Integer> established();

    /** The number of the connection; 0 while there is none. */
    int connection();

    /**
     * Whether what comes from now on is heard even if no caller {@link #hear hears} it; then that
     * stays so until one asks.
     */
    default boolean keepsHearing() {
      return true;
    }

    /** From now on what comes is heard without a caller. */
    default void hearWithoutCallers() {}

    /**
     * Hears the next that comes, on the calling thread, if a caller may. Returns within {@link
     * JedisListening#LONGEST_HEARING}, and most often within a tenth of that.
     *
     * @param served whether the caller needs to hear no more: then another may
     * @return false if another thread hears
     */
    default boolean hear(BooleanSupplier served) {
      return false;
    }
  }
}
