package io.leasehold.internal;

import io.leasehold.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fair callers of this process that have no place in the store's queue yet. While a request for
 * the places of several is under way, or three for one each, those that come are gathered, and
 * asked for together by the next. So few overtake each other on the way to the store, a crowd costs
 * few requests, and one that comes alone does not wait. Guarded by its queue's mutex.
 */
final class Arrivals {
  private static final int MOST_TOGETHER = 64;
  private static final int MOST_UNDER_WAY = 3;

  private final NameQueue queue;

  /** In the order of their calls. */
  private final List<Contender> gathered = new ArrayList<>();

  private int underWay;

  /** How many of these are for several. */
  private int crowds;

  Arrivals(NameQueue queue) {
    this.queue = queue;
  }

  /** Asks for a place, at once or with the next that are asked for. */
  void add(Contender arrived, Steps steps) {
    gathered.add(arrived);
    ask(steps);
  }

  /** The request for so many is answered, or is not expected to be any more. */
  void answered(int count, @Nullable StoreException failed, Steps steps) {
    underWay--;
    crowds -= count > 1 ? 1 : 0;
    if (gathered.isEmpty()) {
      return;
    }
    gathered.removeIf(each -> !each.isAsking());
    List<Contender> late = new ArrayList<>();
    if (failed != null) {
      gathered.removeIf(each -> !each.mayAsk() && late.add(each));
    }
    ask(steps);
    late.forEach(each -> each.notAsked(steps));
  }

  private void ask(Steps steps) {
    if (gathered.isEmpty() || underWay == MOST_UNDER_WAY || crowds > 0) {
      return;
    }
    underWay++;
    if (gathered.size() == 1) {
      askFor(gathered.remove(0), steps);
      return;
    }
    List<Contender> first = gathered.subList(0, Math.min(MOST_TOGETHER, gathered.size()));
    List<Contender> together = List.copyOf(first);
    first.clear();
    crowds++;
    together.forEach(Contender::begin);
    // The last comes to its turn last: least of all its thread is needed for something else
    Waiter caller = queue.served(together.get(together.size() - 1));
    queue.engine.calls.forCaller(caller, new AttemptCall.Several(together, caller), steps);
  }

  private void askFor(Contender alone, Steps steps) {
    alone.begin();
    Waiter caller = queue.served(alone);
    queue.engine.calls.forCaller(caller, new AttemptCall.First(alone, caller), steps);
  }
}
