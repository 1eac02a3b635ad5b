package io.leasehold.benchmarks.failover;

import java.util.concurrent.Future;

/**
 * How far a grant has come when the replica is promoted, in the order in which a grant goes on: as
 * the frames on the wire tell it, of the request, of the answer and of each replication link.
 */
enum Step {
  /** The request is on its way. */
  SENT("0. sent, not done", false, false, false, false),
  /** The primary has done it, and nothing else has happened. */
  DONE("1. done, no replica has it, not answered", true, false, false, false),
  /** Only the first client knows of it. */
  ANSWERED("2. answered, no replica has it", true, false, false, true),
  /** The wrong replica is promoted. */
  ELSEWHERE("3. answered, only the other replica has it", true, false, true, true),
  /** Both replicas have it, and the first client does not know. */
  REPLICATED("4. both replicas have it, not answered", true, true, true, false),
  /** All know of it. */
  COMPLETE("5. answered, both replicas have it", true, true, true, true);

  private final String title;
  private final boolean done;
  private final boolean nextHasIt;
  private final boolean otherHasIt;
  private final boolean answered;

  Step(String title, boolean done, boolean nextHasIt, boolean otherHasIt, boolean answered) {
    this.title = title;
    this.done = done;
    this.nextHasIt = nextHasIt;
    this.otherHasIt = otherHasIt;
    this.answered = answered;
  }

  String title() {
    return title;
  }

  /** Whether the replica that is promoted has the grant. */
  boolean survives() {
    return nextHasIt;
  }

  /** Whether any replica has it. */
  boolean isReplicated() {
    return nextHasIt || otherHasIt;
  }

  /** Before the first client asks: nothing goes further than this step. */
  void prepare(FailoverServers servers, String name) {
    if (!done) {
      servers.primary().deafen();
    }
    if (!nextHasIt) {
      servers.next().starve();
    }
    if (!otherHasIt) {
      servers.other().starve();
    }
    if (!answered) {
      servers.primary().muteAt(name);
    }
  }

  /**
   * Whether it has come so far.
   *
   * @param sent how many requests there were before
   */
  boolean isReached(FailoverServers servers, String name, int sent, Future<?> asked) {
    return servers.requests() > sent
        && (!done || servers.primary().has(name))
        && (!nextHasIt || servers.next().has(name))
        && (!otherHasIt || servers.other().has(name))
        && (!answered || asked.isDone() || waitsInVain(servers));
  }

  /** Answered as far as it will be: a client that waits for replicas has an answer and no grant. */
  private boolean waitsInVain(FailoverServers servers) {
    return !isReplicated() && servers.isWaitedFor();
  }
}
