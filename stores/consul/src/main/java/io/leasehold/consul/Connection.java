package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/**
 * An agent that answers.
 *
 * @param agent for requests
 * @param watching for blocking queries, so that they take no connections away
 * @param shortestTtl of a session
 * @param longestTtl of a session
 */
record Connection(
    Agent agent, Agent watching, Threads threads, Duration shortestTtl, Duration longestTtl) {
  /** The path that makes a session. */
  static final String CREATE = "/v1/session/create";

  /** What the servers say of a ttl that they do not take. */
  static final String NO_TTL = "Invalid Session TTL";

  static final Duration TTL_STEP = Duration.ofMillis(1);

  /** What the servers need to end a session once it is due. */
  static final Duration ENDING = Duration.ofSeconds(2);

  private static final Pattern LIMITS = Pattern.compile("between \\[([^=]+)=([^]]+)]");

  /** An agent takes no more than 200 connections from one machine, with all its processes. */
  private static final int REQUESTS = 16;

  private static final int WATCHES = 32;
  private static final Duration OPENING = Duration.ofSeconds(10);

  /**
   * Opens one.
   *
   * @throws StoreException if the agent cannot be reached, or refuses
   */
  static Connection open(AgentAddress address) {
    Threads threads = new Threads();
    Agent agent = new Agent(address, REQUESTS, threads);
    Agent watching = new Agent(address, WATCHES, threads);
    try {
      // No session is so short: the refusal says which are, after the token was looked at
      JSONObject none = session(Duration.ZERO, Duration.ZERO).put("TTL", "1ns");
      Answer refusal =
          TimedJoin.ofOpening(agent.toString(), agent.put(CREATE, none, OPENING), OPENING);
      Matcher limits = LIMITS.matcher(refusal.body());
      boolean known = limits.find();
      return new Connection(
          agent,
          watching,
          threads,
          known ? Durations.parse(limits.group(1)) : Duration.ofSeconds(10),
          known ? Durations.parse(limits.group(2)) : Duration.ofDays(1));
    } catch (RuntimeException e) {
      agent.close();
      watching.close();
      threads.close();
      throw e;
    }
  }

  /**
   * What makes a session; its keys go with it. Without checks: with the usual one it ends as soon
   * as its node is slow to answer.
   *
   * @param lockDelay how long a key that it held when it ended is locked by no other
   */
  static JSONObject session(Duration ttl, Duration lockDelay) {
    return new JSONObject()
        .put("Name", "leasehold")
        .put("TTL", ttl.toMillis() + "ms")
        .put("Behavior", "delete")
        .put("LockDelay", lockDelay.toSeconds() + "s")
        .put("Checks", new JSONArray())
        .put("NodeChecks", new JSONArray());
  }

  /** Ends it. The threads are left to their owner. */
  void close() {
    watching.close();
    agent.close();
  }
}
