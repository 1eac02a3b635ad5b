package io.leasehold.peers;

import io.leasehold.ClientClosedException;
import io.leasehold.ClientSnapshot;
import io.leasehold.DistributedLock;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Finding;
import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.MultiLock;
import io.leasehold.Trait;
import io.leasehold.event.LockListener;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** A client of another library, as far as it goes. */
abstract class PeerClient implements LockClient {
  private static final int RESTING = 16;

  private final Wire wire;
  private final Set<Actor> acting = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<Actor> resting = new LinkedBlockingQueue<>();
  private volatile boolean closed;

  PeerClient(Wire wire) {
    this.wire = wire;
  }

  /** Gives a lock of the library, for one lease. */
  abstract Mutex mutex(String name, LockOptions options);

  /** Ends the library's client. */
  abstract void shutdown() throws Exception;

  Mutex readMutex(String name, LockOptions options) {
    throw new UnsupportedOperationException("it has no read locks");
  }

  Mutex writeMutex(String name, LockOptions options) {
    throw new UnsupportedOperationException("it has no read locks");
  }

  Mutex permits(String name, int size, int permits, LockOptions options) {
    throw new UnsupportedOperationException("it has no semaphores");
  }

  Mutex all(List<String> names, LockOptions options) {
    throw new UnsupportedOperationException("it does not take several locks as one");
  }

  /** Whether {@link #mutex} heeds that a lock is to be fair. */
  boolean isFair() {
    return false;
  }

  final Wire wire() {
    return wire;
  }

  final Actor actor(String name) {
    Actor actor = new Actor(name);
    acting.add(actor);
    return actor;
  }

  /** It has no lease any more; it stays a while in case that its lease is released again. */
  final void rest(Actor actor) {
    acting.remove(actor);
    resting.add(actor);
    if (resting.size() > RESTING) {
      resting.remove().close();
    }
  }

  final void requireOpen() {
    if (closed) {
      throw new ClientClosedException("the client is closed");
    }
  }

  private DistributedLock lock(String name, Function<LockOptions, Mutex> library) {
    return new PeerLock(this, name, LockOptions.defaults(), library);
  }

  @Override
  public final DistributedLock lock(String name) {
    requireOpen();
    return lock(name, options -> mutex(name, options));
  }

  @Override
  public final DistributedReadWriteLock readWriteLock(String name) {
    requireOpen();
    readMutex(name, LockOptions.defaults());
    return new PeerReadWriteLock(
        name,
        lock(name, options -> readMutex(name, options)),
        lock(name, options -> writeMutex(name, options)));
  }

  @Override
  public final DistributedSemaphore semaphore(String name, int size) {
    requireOpen();
    return new PeerSemaphore(this, name, size, 1, LockOptions.defaults());
  }

  @Override
  public final MultiLock allOf(String... names) {
    requireOpen();
    List<String> all = List.of(names);
    return new PeerMultiLock(all, lock(all.toString(), options -> all(all, options)));
  }

  @Override
  public final boolean isClosed() {
    return closed;
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      shutdown();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("close failed", e);
    } finally {
      acting.forEach(Actor::close);
      resting.forEach(Actor::close);
      wire.close();
    }
  }

  @Override
  public final Leadership leadership(
      String name, LockOptions options, LeadershipListener listener) {
    throw new UnsupportedOperationException("leader election is not part of the comparison");
  }

  @Override
  public final List<LockSnapshot> list() {
    throw new UnsupportedOperationException("it keeps no list");
  }

  @Override
  public final ClientSnapshot snapshot() {
    throw new UnsupportedOperationException("it counts nothing");
  }

  @Override
  public final Set<Trait> traits() {
    throw new UnsupportedOperationException("it does not say what its store promises");
  }

  @Override
  public final List<Finding> diagnose() {
    throw new UnsupportedOperationException("it does not look for what is wrong");
  }

  @Override
  public final void addListener(LockListener listener) {
    throw new UnsupportedOperationException("it has no such events");
  }

  @Override
  public final void removeListener(LockListener listener) {
    throw new UnsupportedOperationException("it has no such events");
  }
}
