package io.leasehold.internal.quorum;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The fence numbers of a quorum, if its members take what a ticket asks for, and forget none. Each
 * client asks all members for one number, which mostly is above all that they know: so it is the
 * number of a majority at once. Otherwise the largest number of a majority is written back, by the
 * same attempt that asks for it, until a majority has it. A later majority shares a member with
 * that one, and is granted more there. Thread-safe.
 */
final class QuorumNumbers {
  private final Clock clock;
  private final int quorum;
  private final AtomicLong last = new AtomicLong();

  QuorumNumbers(Clock clock, int quorum) {
    this.clock = clock;
    this.quorum = quorum;
  }

  /**
   * What a ticket asks for: the time in microseconds, or one more than the ticket before. Only how
   * many requests a grant takes depends on the clock, whatever it says.
   */
  long next() {
    long millis = clock.wallMillis();
    long now = millis > 0 && millis <= FenceNumber.MAX / 1000 ? millis * 1000 : 0;
    return last.updateAndGet(before -> Math.max(now, before + 1));
  }

  /**
   * The vote; a failure if it is a grant with less than was asked for, on which nothing can rely.
   */
  static @Nullable Object checked(Ticket ticket, @Nullable Attempt vote) {
    return vote instanceof Granted granted && granted.number() < ticket.leastNumber()
        ? new StoreException(
            Failure.UNKNOWN_OUTCOME,
            "a member granted fence number "
                + granted.number()
                + ", though it was asked for "
                + ticket.leastNumber()
                + " at least",
            null)
        : vote;
  }

  /**
   * The smallest number that a majority can have. A member whose own is larger does not count: it
   * cannot be lowered, and a later majority might take it for the largest.
   */
  long chosen(List<Granted> grants) {
    long[] numbers = new long[grants.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = grants.get(i).number();
    }
    Arrays.sort(numbers);
    return numbers[quorum - 1];
  }
}
