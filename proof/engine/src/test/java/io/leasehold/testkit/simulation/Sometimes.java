package io.leasehold.testkit.simulation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Situations that a run of many seeds must have seen, so that its silence means something. */
enum Sometimes {
  // faults
  REQUEST_LOST,
  REPLY_LOST,
  REQUEST_DUPLICATED,
  REQUEST_LATE,
  REFUSED,
  TARDY,
  UNAVAILABLE,
  CONNECTION_CUT,
  CRASH,
  PAUSE,
  PAUSE_BEYOND_TTL,
  SUSPENSION,
  WALL_STEP,
  SERVER_RESTART,
  SESSION_ENDED,
  LEASE_BROKEN,
  LIFE_SHORTENED,
  WAKE_LOST,
  WAKE_DUPLICATED,
  WAKE_SPURIOUS,
  CLOSE_AMID,
  ANSWER_INSIDE_CALL,
  // situations
  GRANTED,
  GRANTED_AFTER_WAIT,
  BUSY_TRY,
  TIMED_OUT,
  CANCELLED,
  CANCEL_MET_GRANT,
  HAND_OVER,
  HAND_OVER_WANTED,
  RENEWED,
  JEOPARDY,
  JEOPARDY_SURVIVED,
  LOST_EXPIRED,
  LOST_GONE,
  LOST_SESSION,
  LOST_MAX_HOLD,
  RELEASED,
  RELEASE_UNKNOWN,
  RELEASE_AFTER_LOSS,
  UNKNOWN_OUTCOME,
  REPEAT_GRANTED,
  GHOST_AFTER_WITHDRAWAL,
  GHOST_HELD,
  WAKE_BEFORE_REPLY,
  GRANT_FOR_ABANDONED,
  FAIR_GRANT,
  FAIR_ACROSS_PROCESSES,
  CAME_TOGETHER,
  HANDED_ALONG,
  DIRECT_GRANT,
  TOLD_OF_GRANT,
  TOLD_TOO_LATE,
  PLACE_LAPSED,
  SERVED_AFTER_HEAL,
  // readers
  READER_JOINED,
  READER_JOINED_AFTER_ASKING,
  JOIN_REFUSED,
  READ_HANDED_OVER,
  READERS_IN_TWO_PROCESSES,
  READER_LIVED_LONGEST,
  WRITER_BEHIND_READERS,
  FAIR_READER,
  // permits
  SEVERAL_PERMITS,
  ALL_PERMITS_OUT,
  PERMITS_HANDED_OVER,
  FAIR_PERMITS,
  KIND_REFUSED_HERE,
  KIND_REFUSED_BY_STORE,
  TRY_BEHIND_WAITERS,
  // several locks as one
  SEVERAL_GRANTED,
  SEVERAL_RESTARTED,
  SEVERAL_BUSY,
  SEVERAL_TIMED_OUT,
  SEVERAL_CANCELLED,
  // the end
  SERVED_AFTER_CRASH,
  DOUBT_WHILE_HELD,
  LIMBO_AT_HEAL,
  CLOSED_WHILE_HELD,
  CLOSED_WHILE_WAITED;

  /** How often each happened. Thread-safe. */
  static final class Counts {
    private final Map<Sometimes, LongAdder> counts = new ConcurrentHashMap<>();

    void saw(Sometimes what) {
      counts.computeIfAbsent(what, w -> new LongAdder()).increment();
    }

    long of(Sometimes what) {
      LongAdder count = counts.get(what);
      return count == null ? 0 : count.sum();
    }
  }
}
