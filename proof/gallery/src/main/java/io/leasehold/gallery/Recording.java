package io.leasehold.gallery;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What happened in a play, in order. Thread-safe; the same play yields an equal recording. */
final class Recording {
  /** What a client is in. */
  enum State {
    OUTSIDE,
    /** It has the lock, as far as it knows. */
    INSIDE,
    /** It stands still outside. */
    STOPPED,
    /** It stands still, and had the lock when it was stopped. */
    STOPPED_INSIDE,
    DEAD;

    State stopped() {
      return this == INSIDE ? STOPPED_INSIDE : STOPPED;
    }

    State resumed() {
      return this == STOPPED_INSIDE || this == INSIDE ? INSIDE : OUTSIDE;
    }
  }

  /**
   * One thing that happened.
   *
   * @param lane whose doing it is; -1 for no client's
   * @param states of all clients after it
   */
  record Row(int lane, String text, List<State> states) {
    boolean isOverlap() {
      return states.stream().filter(State.INSIDE::equals).count() > 1;
    }
  }

  private final List<String> names = new ArrayList<>();
  private final List<State> states = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<String> data = new ArrayList<>();
  private final Set<Harm> harms = EnumSet.noneOf(Harm.class);
  private String verdict = "";

  /** Another client; returns its lane. */
  synchronized int add(String name) {
    names.add(name);
    states.add(State.OUTSIDE);
    return names.size() - 1;
  }

  /** A client did something. */
  synchronized void step(int lane, String text) {
    rows.add(new Row(lane, text, List.copyOf(states)));
  }

  /** A client did something and is in another state now. */
  synchronized void step(int lane, String text, State state) {
    states.set(lane, state);
    step(lane, text);
    if (rows.get(rows.size() - 1).isOverlap()) {
      harms.add(Harm.TWO_HOLDERS);
    }
  }

  /** Something happened to the world. */
  synchronized void world(String text) {
    step(-1, text);
  }

  /** A line of what the data looks like after. */
  synchronized void data(String line) {
    data.add(line);
  }

  synchronized void harm(Harm harm) {
    harms.add(harm);
  }

  /** Why it went well. */
  synchronized void verdict(String text) {
    verdict = text;
  }

  synchronized State state(int lane) {
    return states.get(lane);
  }

  synchronized List<String> names() {
    return List.copyOf(names);
  }

  synchronized List<Row> rows() {
    List<Row> all = new ArrayList<>();
    for (Row row : rows) {
      // A client that comes later was outside before
      List<State> padded = new ArrayList<>(row.states());
      while (padded.size() < names.size()) {
        padded.add(State.OUTSIDE);
      }
      all.add(new Row(row.lane(), row.text(), padded));
    }
    return all;
  }

  synchronized List<String> data() {
    return List.copyOf(data);
  }

  synchronized Set<Harm> harms() {
    return harms.isEmpty() ? Set.of() : EnumSet.copyOf(harms);
  }

  synchronized String verdict() {
    return verdict;
  }
}
