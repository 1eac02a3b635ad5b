package io.leasehold.redis;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what the scripts answer. */
final class Replies {
  private Replies() {}

  static Attempt attempt(@Nullable Object reply) {
    List<?> answer = list(reply);
    return switch ((int) number(answer, 0)) {
      case 1 -> granted(answer);
      case 2 -> new Attempt.Queued((int) number(answer, 1), text(answer, 2));
      case 3 -> new Attempt.Busy(millis(answer, 1), text(answer, 2));
      default -> new Attempt.OtherKind(mode(text(answer, 1)), (int) number(answer, 2));
    };
  }

  private static Attempt granted(List<?> answer) {
    List<LeaseId> run =
        answer.size() < 5
            ? List.of()
            : Message.ids((byte[]) Objects.requireNonNull(answer.get(4)), 0);
    return new Attempt.Granted(number(answer, 1), millis(answer, 2), number(answer, 3) != 0, run);
  }

  /** Of one, or of each of several. */
  static List<?> attempts(@Nullable Object reply) {
    List<?> answer = list(reply);
    return answer.get(0) instanceof List ? answer : List.of(answer);
  }

  /** Whether it was granted, or one of several was. */
  static boolean isGranted(@Nullable Object reply) {
    return attempts(reply).stream().anyMatch(each -> number(list(each), 0) == 1);
  }

  /** Whether an attempt did nothing, since the bucket is not in use yet. */
  static boolean isUnsettled(@Nullable Object reply) {
    List<?> answer = list(reply);
    return number(answer.get(0) instanceof List<?> first ? first : answer, 0) == 5;
  }

  /** What a queued attempt says of later grants: their numbers are above it. */
  static long mark(@Nullable Object reply) {
    return number(list(reply), 3);
  }

  /** As {@link #mark(Object)}, of the ticket that waits at an index of a batch. */
  static long mark(@Nullable Object reply, int index) {
    return number(list(reply), 3 * index + 1);
  }

  /** The answer to the ticket at an index of a batch. */
  static Renewal renewal(List<?> answer, int index) {
    return switch ((int) number(answer, 3 * index)) {
      case 1 ->
          new Renewal.Renewed(millis(answer, 3 * index + 1), number(answer, 3 * index + 2) != 0);
      case 2 -> new Renewal.Waiting();
      case 3 -> new Renewal.AttemptNow();
      case 4 -> new Renewal.Gone();
      default -> new Renewal.Unknown(new IllegalStateException("the script could not renew it"));
    };
  }

  static LockSnapshot snapshot(String name, @Nullable Object reply) {
    List<?> both = list(reply);
    return new LockSnapshot(
        name,
        list(both.get(0)).stream().map(each -> holder(list(each))).toList(),
        list(both.get(1)).stream().map(each -> waiter(list(each))).toList());
  }

  private static LockSnapshot.Holder holder(List<?> entry) {
    return new LockSnapshot.Holder(
        text(entry, 0),
        text(entry, 6),
        mode(text(entry, 1)),
        (int) number(entry, 2),
        FenceNumber.token(number(entry, 3), 0),
        millis(entry, 4),
        millis(entry, 5));
  }

  private static LockSnapshot.Waiter waiter(List<?> entry) {
    return new LockSnapshot.Waiter(
        text(entry, 0), text(entry, 3), mode(text(entry, 1)), millis(entry, 2));
  }

  static boolean isOne(@Nullable Object reply) {
    return reply instanceof Long number && number == 1;
  }

  static byte[] bulk(@Nullable Object reply) {
    return (byte[]) Objects.requireNonNull(reply, "the server answered nothing");
  }

  static List<?> list(@Nullable Object reply) {
    return (List<?>) Objects.requireNonNull(reply, "the server answered nothing");
  }

  private static Duration millis(List<?> answer, int index) {
    return Duration.ofMillis(number(answer, index));
  }

  /** A number, or the digits of one: scripts do not convert what they only pass on. */
  private static long number(List<?> answer, int index) {
    Object value = Objects.requireNonNull(answer.get(index), "a number is missing");
    return value instanceof Long number ? number : Long.parseLong(Command.text(value));
  }

  private static String text(List<?> answer, int index) {
    return Command.text(Objects.requireNonNull(answer.get(index), "a text is missing"));
  }

  private static LockMode mode(String letter) {
    return switch (letter) {
      case "x" -> LockMode.EXCLUSIVE;
      case "s" -> LockMode.SHARED;
      default -> LockMode.PERMITS;
    };
  }
}
