package io.leasehold.testkit.contract;

import java.util.OptionalInt;

/**
 * What can be made to go wrong between one client and its store. {@link
 * io.leasehold.testkit.FaultyStore} does it where the engine meets the store; a store module may do
 * it with a proxy on the wire. What is not supported throws {@link UnsupportedOperationException}.
 *
 * <p>Requests are counted from 0, from the opening of the client.
 */
public interface Faults {
  /** How a request is lost. The client cannot tell which. */
  enum Loss {
    /** On its way there: the store never sees it. */
    REQUEST,
    /** On its way back: the store has done what it was asked. */
    REPLY
  }

  /** A request that is kept on its way. */
  interface Delayed {
    /** Whether it was sent by now. */
    boolean isSent();

    /** Lets it reach the store now; does nothing the second time. */
    void land();
  }

  /** How many requests were sent so far. */
  default int requests() {
    throw new UnsupportedOperationException("requests are not counted here");
  }

  /** How many attempts were answered so far, with a grant or to wait; empty if that is unknown. */
  default OptionalInt answers() {
    return OptionalInt.empty();
  }

  /** Loses the request with this number; the client is told at once that the connection broke. */
  default void lose(int index, Loss loss) {
    throw new UnsupportedOperationException("single requests cannot be lost here");
  }

  /** As {@link #lose}, but the client is told nothing. */
  default void loseSilently(int index, Loss loss) {
    throw new UnsupportedOperationException("single requests cannot be lost here");
  }

  /** Keeps the request with this number on its way until it is told to land. */
  default Delayed delay(int index) {
    throw new UnsupportedOperationException("single requests cannot be delayed here");
  }

  /**
   * Keeps the request with this number on its way, and tells the client at once that the connection
   * broke.
   */
  default Delayed delayUnanswered(int index) {
    throw new UnsupportedOperationException("single requests cannot be delayed here");
  }

  /**
   * Lets the request with this number pass, and tells the client that the connection broke when
   * that is told to land.
   */
  default Delayed delayLoss(int index) {
    throw new UnsupportedOperationException("single requests cannot be delayed here");
  }

  /**
   * From now on every request is refused at once, and nothing comes from the store, also no answer
   * to a request that was sent before.
   */
  default void cut() {
    throw new UnsupportedOperationException("the connection cannot be cut here");
  }

  /**
   * From now on no request reaches the store and none is answered; nothing comes from it, also no
   * answer to a request that was sent before.
   */
  default void silence() {
    throw new UnsupportedOperationException("the connection cannot be silenced here");
  }

  /**
   * From now on every request reaches the store, and every reply is lost, which is told at once.
   */
  default void loseReplies() {
    throw new UnsupportedOperationException("replies cannot be lost here");
  }

  /** Ends what the three above began: the client is connected again. */
  default void heal() {
    throw new UnsupportedOperationException("there is nothing to heal here");
  }

  /** From now on no wake-up arrives. */
  default void dropWakeUps() {
    throw new UnsupportedOperationException("wake-ups cannot be dropped here");
  }

  /** From now on a waiter that polls is told to wait on. */
  default void stopPolls() {
    throw new UnsupportedOperationException("polling cannot be stopped here");
  }
}
