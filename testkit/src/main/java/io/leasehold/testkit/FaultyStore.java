package io.leasehold.testkit;

import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.testkit.contract.Faults;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Any store, and what can go wrong on the way to it: one for each client. Its faults lie where the
 * engine meets the store, so they are the same for every store, and a reply is lost exactly where
 * it is said to be.
 *
 * <pre>{@code
 * FaultyStore faulty = new FaultyStore(server);
 * LockClient client = Leasehold.builder(faulty).build();
 * faulty.lose(0, Faults.Loss.REPLY);   // the first attempt is granted, and the client does not hear of it
 * }</pre>
 */
public final class FaultyStore implements StoreFactory, Faults {
  /** What becomes of a request. */
  enum Fate {
    /** It is done, and answered. */
    PASSES,
    /** It is not done, and that is certain. */
    IS_REFUSED,
    /** It is not done; the connection broke. */
    REQUEST_LOST,
    /** It is done; the connection broke. */
    REPLY_LOST,
    /** It is not done, nor answered. */
    REQUEST_SWALLOWED,
    /** It is done, and not answered. */
    REPLY_SWALLOWED
  }

  private final StoreFactory factory;
  private final List<FaultyListener> listeners = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger answers = new AtomicInteger();
  private final Map<Integer, Fate> fates = new ConcurrentHashMap<>();
  private final Map<Integer, DelayedRequest> delayed = new ConcurrentHashMap<>();
  private final Set<LeaseId> granted = ConcurrentHashMap.newKeySet();
  private final Queue<CompletableFuture<?>> unanswered = new ConcurrentLinkedQueue<>();
  private volatile Fate weather = Fate.PASSES;
  private volatile boolean used;
  private volatile boolean hearsWakeUps = true;
  private volatile boolean polls = true;
  private volatile boolean reconnected;

  /** Over what this opens. */
  public FaultyStore(StoreFactory factory) {
    this.factory = factory;
  }

  @Override
  public LockStore open(StoreListener listener) {
    FaultyListener wrapped = new FaultyListener(this, listener);
    LockStore store = factory.open(wrapped);
    listeners.add(wrapped);
    return new FaultyConnection(this, store);
  }

  @Override
  public int requests() {
    return requests.get();
  }

  @Override
  public OptionalInt answers() {
    return OptionalInt.of(answers.get());
  }

  @Override
  public void lose(int index, Loss loss) {
    fates.put(index, loss == Loss.REQUEST ? Fate.REQUEST_LOST : Fate.REPLY_LOST);
  }

  @Override
  public void loseSilently(int index, Loss loss) {
    fates.put(index, loss == Loss.REQUEST ? Fate.REQUEST_SWALLOWED : Fate.REPLY_SWALLOWED);
  }

  @Override
  public Delayed delay(int index) {
    DelayedRequest request = new DelayedRequest(DelayedRequest.Kind.REQUEST);
    delayed.put(index, request);
    return request;
  }

  @Override
  public Delayed delayUnanswered(int index) {
    DelayedRequest request = new DelayedRequest(DelayedRequest.Kind.UNANSWERED);
    delayed.put(index, request);
    return request;
  }

  @Override
  public Delayed delayLoss(int index) {
    DelayedRequest request = new DelayedRequest(DelayedRequest.Kind.LOSS);
    delayed.put(index, request);
    return request;
  }

  @Override
  public void cut() {
    weather = Fate.IS_REFUSED;
  }

  @Override
  public void silence() {
    weather = Fate.REQUEST_SWALLOWED;
  }

  @Override
  public void loseReplies() {
    weather = Fate.REPLY_LOST;
  }

  @Override
  public void heal() {
    weather = Fate.PASSES;
    for (CompletableFuture<?> answer = unanswered.poll();
        answer != null;
        answer = unanswered.poll()) {
      answer.completeExceptionally(FaultyConnection.failure(Failure.UNKNOWN_OUTCOME));
    }
    reconnected = true;
    listeners.forEach(FaultyListener::reconnected);
  }

  /** Whether reports may have been lost that the store thinks it made. */
  boolean hasReconnected() {
    return reconnected;
  }

  @Override
  public void dropWakeUps() {
    hearsWakeUps = false;
  }

  @Override
  public void stopPolls() {
    polls = false;
  }

  // ---- for the connection and the listener

  /** What the client was told that it has, by an answer or a report: its renewals are no polls. */
  Set<LeaseId> granted() {
    return granted;
  }

  int nextIndex() {
    return requests.getAndIncrement();
  }

  void countAnswer() {
    answers.incrementAndGet();
  }

  Fate fate(int index) {
    Fate own = fates.remove(index);
    Fate fate = own != null ? own : weather;
    used |= fate != Fate.PASSES;
    return fate;
  }

  @Nullable DelayedRequest delayed(int index) {
    DelayedRequest request = delayed.remove(index);
    used |= request != null;
    return request;
  }

  /** An answer that never comes, unless to say that the connection broke when it is healed. */
  <T> CompletableFuture<T> unanswered() {
    CompletableFuture<T> answer = new CompletableFuture<>();
    unanswered.add(answer);
    return answer;
  }

  /** Whether any request met with a fault. */
  public boolean wasUsed() {
    return used;
  }

  /** What becomes of requests that have no fate of their own. */
  Fate weather() {
    return weather;
  }

  boolean isConnected() {
    return weather == Fate.PASSES;
  }

  boolean hearsWakeUps() {
    return hearsWakeUps && isConnected();
  }

  boolean polls() {
    return polls;
  }
}
