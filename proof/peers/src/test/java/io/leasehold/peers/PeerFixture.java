package io.leasehold.peers;

import io.leasehold.LockClient;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ClientSettings;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.Faults;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Starts a server when the first client is opened, and puts a wire before each. */
abstract class PeerFixture implements ContractFixture {
  private final Set<Ability> abilities;
  private final Map<String, String> excluded;
  private final Server.Kind kind;
  private Optional<Server> server = Optional.empty();

  PeerFixture(Server.Kind kind, Set<Ability> abilities, Map<String, String> excluded) {
    this.kind = kind;
    this.abilities = Set.copyOf(abilities);
    this.excluded = Map.copyOf(excluded);
  }

  /** Connects the library by this wire. */
  abstract PeerClient connect(Wire wire, ClientSettings settings) throws Exception;

  @Override
  public final LockClient open(ClientSettings settings) {
    if (!settings.required().isEmpty() || !settings.listeners().isEmpty()) {
      throw new UnsupportedOperationException("it has no such settings");
    }
    Wire wire = new Wire(port());
    try {
      return connect(wire, settings);
    } catch (RuntimeException e) {
      wire.close();
      throw e;
    } catch (Exception e) {
      wire.close();
      throw new AssertionError("no connection", e);
    }
  }

  private synchronized int port() {
    if (server.isEmpty()) {
      server = Optional.of(outside(kind::start));
    }
    return server().port();
  }

  /** On a thread of no test's group, so that the server's threads are not taken for a client's. */
  private static <T> T outside(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Wire.start(task);
    try {
      return task.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("no server", e);
    }
  }

  final synchronized Server server() {
    return server.orElseThrow();
  }

  @Override
  public final Optional<String> lacks(Ability ability) {
    return abilities.contains(ability) ? Optional.empty() : Optional.of("it has none");
  }

  /** What its documentation leaves to its users, or does not speak of. */
  @Override
  public Optional<String> disclaims(String test) {
    return Optional.ofNullable(excluded.get(test));
  }

  @Override
  public final Faults faults(LockClient client) {
    return ((PeerClient) client).wire();
  }

  @Override
  public final synchronized void close() {
    server.ifPresent(Server::close);
  }
}
