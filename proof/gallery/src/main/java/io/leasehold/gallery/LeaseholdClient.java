package io.leasehold.gallery;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LeaseTooShortException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.Trait;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;

/** A process that uses Leasehold, by way of a proxy. */
final class LeaseholdClient implements AutoCloseable {
  static final Duration TTL = Duration.ofSeconds(30);

  private final Stage stage;
  private final Client client;
  private final List<FaultProxy> proxies;
  private final LockClient locks;
  private boolean isDead;

  /**
   * Connects.
   *
   * @param framing of what it speaks
   * @param url of the store by way of a port of this machine
   */
  LeaseholdClient(
      Stage stage, Client client, Framing framing, int serverPort, IntFunction<String> url) {
    this(stage, client, framing, List.of(serverPort), ports -> url.apply(ports.get(0)));
  }

  /** The same with a store of several servers. */
  LeaseholdClient(
      Stage stage,
      Client client,
      Framing framing,
      List<Integer> serverPorts,
      Function<List<Integer>, String> url) {
    this.stage = stage;
    this.client = client;
    this.proxies =
        serverPorts.stream().map(port -> FaultProxy.to("127.0.0.1", port, framing)).toList();
    this.locks =
        Leasehold.builder(url.apply(proxies.stream().map(FaultProxy::port).toList()))
            .ttl(TTL)
            .closeTimeout(Duration.ofSeconds(5))
            .build();
  }

  Client lane() {
    return client;
  }

  /** How many requests it has sent; on Redis. */
  int requests() {
    return proxies.stream().mapToInt(FaultProxy::requests).sum();
  }

  DistributedLock lock(String name) {
    return locks.lock(name);
  }

  /** Tries once; the lock must be free. */
  Lease acquires(String name) throws Exception {
    return acquires(locks.lock(name), "");
  }

  /** The same with options. */
  Lease acquires(String name, LockOptions options, String words) throws Exception {
    return acquires(locks.lock(name).with(options), words);
  }

  private Lease acquires(DistributedLock lock, String words) throws Exception {
    Lease lease = client.does(() -> lock.acquire(Duration.ofSeconds(10)));
    client.enters("acquire(" + words + ") → " + granted(lease));
    return lease;
  }

  /** Tries once; whether it has it. */
  Optional<Lease> tries(String name) throws Exception {
    Optional<Lease> lease = client.does(() -> locks.lock(name).tryAcquire());
    if (lease.isPresent()) {
      client.enters("tryAcquire() → " + granted(lease.get()));
    } else {
      client.says("tryAcquire() → empty: it is held");
    }
    return lease;
  }

  private String granted(Lease lease) {
    return locks.traits().contains(Trait.FENCING) ? "token " + stage.token(lease) : "a lease";
  }

  /** From now on one of its servers does not hear of it. */
  void cannotReach(int node) {
    proxies.get(node - 1).refuse();
    proxies.get(node - 1).cutAll();
    client.says("cannot reach node " + node);
  }

  /** The server hears of it again. */
  void reaches(int node) {
    proxies.get(node - 1).heal();
    client.says("reaches node " + node + " again");
  }

  /** Renews it now, as the engine does at a third of the ttl. */
  void renews(Lease lease) throws Exception {
    if (!client.does(() -> isRenewed(lease))) {
      throw new IllegalStateException("a live lease was not renewed");
    }
    client.says("is renewed");
  }

  /** Asks the store for more than there is; whether the lease still stands. */
  static boolean isRenewed(Lease lease) {
    try {
      lease.ensureHeld(lease.remaining().plusNanos(1));
      return true;
    } catch (LeaseLostException | LeaseTooShortException e) {
      return lease.isHeld(); // the answer may be slow, and bring less than was asked for
    }
  }

  /** Lets it go. */
  void releases(Lease lease) throws Exception {
    client.does(
        () -> {
          lease.release();
          return true;
        });
    client.leaves("release()");
  }

  /** Its lease has ended, and it lets go all the same. */
  void releasesLate(Lease lease) throws Exception {
    try {
      releases(lease);
    } catch (LeaseLostException expected) {
      client.leaves("release() → LeaseLostException, nothing changed");
      return;
    }
    throw new IllegalStateException("a lost lease was released without a word");
  }

  /** Asks the store whether it still holds; it must not. */
  void learnsOfTheLoss(Lease lease) throws Exception {
    if (client.does(() -> isRenewed(lease))) {
      throw new IllegalStateException("a lost lease counts as held");
    }
    client.leaves("ensureHeld() → LeaseLostException: it stops");
  }

  /** Its process is gone: nothing of it reaches the server. */
  void dies() {
    isDead = true;
    proxies.forEach(FaultProxy::refuse);
    proxies.forEach(FaultProxy::cutAll);
    client.dies("is killed");
  }

  @Override
  public void close() {
    if (isDead) {
      proxies.forEach(FaultProxy::heal); // so that its engine ends soon
    }
    locks.close();
    proxies.forEach(FaultProxy::close);
  }
}
