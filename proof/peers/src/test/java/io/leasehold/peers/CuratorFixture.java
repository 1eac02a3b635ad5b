package io.leasehold.peers;

import io.leasehold.LockOptions;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ClientSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Curator's recipes. The ttl is the session timeout. Three retries, as on its first page, with
 * pauses of tenths of a second. As it asks for, the holder watches the connection's state:
 * SUSPENDED and LOST mean not held.
 */
final class CuratorFixture extends PeerFixture {
  private static final int TRIES = 4;

  private static final String PATH = "a lock is a path of ZooKeeper, with a path's limits";
  private static final String RECIPE = "that a path is used by one recipe is left to its users";

  private static final Map<String, String> EXCLUDED =
      Map.of(
          "R12_aStoreThatCannotBeReachedFailsFast", "when it gives up is a setting: its retries",
          "R13_hostileNamesDoNotCollide", PATH,
          "R13_aHostileNameCanBeWaitedFor", PATH,
          "R13_whatIsNoNameIsRefused", PATH,
          "R01_aLockOfAnotherKindIsAnError", RECIPE,
          "R01_theWriteLockIsTheLock", RECIPE,
          "R01_severalLocksAreHeldEachOnce", "that a path is named once is left to its users",
          "R01_theSizeBindsWhileAnybodyHolds", "that all name one size is left to its users");

  CuratorFixture() {
    super(
        Server::zooKeeper,
        Set.of(Ability.WAIT, Ability.VALIDITY, Ability.SHARED, Ability.PERMITS, Ability.FAIR),
        EXCLUDED);
  }

  @Override
  PeerClient connect(Wire wire, ClientSettings settings) throws Exception {
    CuratorFramework curator =
        CuratorFrameworkFactory.builder()
            .connectString("127.0.0.1:" + wire.port())
            .sessionTimeoutMs((int) settings.ttl().orElse(Duration.ofMinutes(1)).toMillis())
            .connectionTimeoutMs((int) settings.requestTimeout().dividedBy(TRIES).toMillis())
            .retryPolicy(new ExponentialBackoffRetry(100, TRIES - 1))
            .build();
    curator.start();
    return new Client(wire, curator);
  }

  private static final class Client extends PeerClient {
    private final CuratorFramework curator;
    private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();
    private final Map<String, InterProcessReadWriteLock> pairs = new ConcurrentHashMap<>();

    Client(Wire wire, CuratorFramework curator) {
      super(wire);
      this.curator = curator;
    }

    private static String path(String name) {
      return "/locks/" + name;
    }

    private static void requirePlain(LockOptions options) {
      if (options.ttl().isPresent() || options.renewal() == LockOptions.Renewal.NONE) {
        throw new UnsupportedOperationException("a lock lives as long as its session");
      }
    }

    /** An instance is what can be entered again, so threads share it. */
    private InterProcessMutex shared(String name) {
      return mutexes.computeIfAbsent(name, n -> new InterProcessMutex(curator, path(n)));
    }

    private InterProcessReadWriteLock both(String name) {
      return pairs.computeIfAbsent(name, n -> new InterProcessReadWriteLock(curator, path(n)));
    }

    private Mutex recipe(InterProcessLock lock, LockOptions options) {
      requirePlain(options);
      return new Recipe(lock, new Watch(curator));
    }

    @Override
    boolean isFair() {
      return true;
    }

    @Override
    Mutex mutex(String name, LockOptions options) {
      return recipe(shared(name), options);
    }

    @Override
    Mutex readMutex(String name, LockOptions options) {
      return recipe(both(name).readLock(), options);
    }

    @Override
    Mutex writeMutex(String name, LockOptions options) {
      return recipe(both(name).writeLock(), options);
    }

    @Override
    Mutex all(List<String> names, LockOptions options) {
      return recipe(
          new InterProcessMultiLock(curator, names.stream().map(Client::path).toList()), options);
    }

    @Override
    Mutex permits(String name, int size, int permits, LockOptions options) {
      requirePlain(options);
      return new Permits(
          new InterProcessSemaphoreV2(curator, path(name), size), permits, new Watch(curator));
    }

    @Override
    void shutdown() {
      curator.close();
    }
  }

  /** What a holder has to watch. */
  private static final class Watch implements ConnectionStateListener {
    private volatile boolean connected = true;
    private volatile boolean lost;
    private final AtomicReference<Runnable> callback = new AtomicReference<>(() -> {});

    Watch(CuratorFramework curator) {
      curator.getConnectionStateListenable().addListener(this);
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      connected = state.isConnected();
      if (state == ConnectionState.LOST) {
        lost = true;
        callback.getAndSet(() -> {}).run();
      }
    }

    void begin() {
      lost = false;
    }

    boolean isSure() {
      return connected && !lost;
    }
  }

  private record Recipe(InterProcessLock recipe, Watch watch) implements Mutex {
    @Override
    public void lock() throws Exception {
      watch.begin();
      recipe.acquire();
    }

    /** It has no try but a wait of no time. */
    @Override
    public boolean tryLock() throws Exception {
      return tryLock(Duration.ZERO);
    }

    @Override
    public boolean tryLock(Duration maxWait) throws Exception {
      watch.begin();
      return recipe.acquire(Math.max(0, maxWait.toMillis()), TimeUnit.MILLISECONDS);
    }

    @Override
    public void unlock() throws Exception {
      recipe.release();
    }

    @Override
    public boolean isHeld() {
      boolean owned =
          recipe instanceof InterProcessMutex mutex
              ? mutex.isOwnedByCurrentThread()
              : recipe.isAcquiredInThisProcess();
      return owned && watch.isSure();
    }

    @Override
    public void onLost(Runnable told) {
      watch.callback.set(told);
    }
  }

  private static final class Permits implements Mutex {
    private final InterProcessSemaphoreV2 semaphore;
    private final int count;
    private final Watch watch;
    private @Nullable Collection<Lease> leases;

    Permits(InterProcessSemaphoreV2 semaphore, int count, Watch watch) {
      this.semaphore = semaphore;
      this.count = count;
      this.watch = watch;
    }

    @Override
    public void lock() throws Exception {
      watch.begin();
      leases = semaphore.acquire(count);
    }

    @Override
    public boolean tryLock() throws Exception {
      return tryLock(Duration.ZERO);
    }

    @Override
    public boolean tryLock(Duration maxWait) throws Exception {
      watch.begin();
      leases = semaphore.acquire(count, Math.max(0, maxWait.toMillis()), TimeUnit.MILLISECONDS);
      return leases != null;
    }

    @Override
    public void unlock() {
      semaphore.returnAll(leases);
    }

    @Override
    public boolean isHeld() {
      return watch.isSure();
    }

    @Override
    public boolean isReentrant() {
      return false;
    }
  }
}
