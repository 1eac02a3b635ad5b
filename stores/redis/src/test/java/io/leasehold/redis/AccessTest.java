package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.contract.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Users, passwords and permissions. */
class AccessTest {
  @Nested
  class OnRedis70 extends Access {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }

    @Override
    String deniedInScript() {
      return "ACL LOG";
    }

    /** Each is used: without it something is refused. */
    @Test
    void eachOfThePermissionsIsNeeded() throws Exception {
      CommandCounts counts = CommandCounts.from(server);
      Engine client = app();
      useEverything(client, app());
      useMixedQueue(client);
      assertThat(counts.all().keySet())
          .containsAll(TO_LOCK.stream().map(one -> one.substring(1)).toList());
    }

    /** Readers and writers wait, which takes more than writers alone; a reply to one is lost. */
    private void useMixedQueue(Engine client) throws Exception {
      FaultyStore store = new FaultyStore(factory());
      Engine other = add(Leasehold.builder(store).ttl(Duration.ofMinutes(10)));
      Lease writing = client.readWriteLock("mixed").writeLock().acquire();
      store.lose(store.requests(), Faults.Loss.REPLY);
      CompletableFuture<Lease> reader =
          other.readWriteLock("mixed").readLock().acquireAsync(PATIENCE);
      CompletableFuture<Lease> writer =
          app().readWriteLock("mixed").writeLock().acquireAsync(PATIENCE);
      await()
          .atMost(PATIENCE)
          .until(() -> client.lock("mixed").inspect().orElseThrow().waiters().size() == 2);
      writing.release();
      reader.thenAccept(Lease::release);
      served(writer).release();
      assertThat(reader).succeedsWithin(PATIENCE);
    }

    private StoreFactory factory() {
      String url = server.url("app", "one") + "?prefix=" + prefix();
      return new RedisStoreProvider().factory(StoreUrl.parse(url));
    }
  }

  @Nested
  class OnValkey9 extends Access {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }

    @Override
    String deniedInScript() {
      return "the permission to run 'time'";
    }

    @Test
    void twoMorePermissionsSaveTheScriptsOfRelease() throws Exception {
      CommandCounts counts = CommandCounts.from(server);
      useEverything(app(), app());
      assertThat(counts.of("delifeq")).isZero();
      allow(TO_LOCK, List.of("+command|info"));
      useEverything(app(), app());
      allow(TO_LOCK, List.of("+command|info", "+delifeq"));
      CommandCounts more = CommandCounts.from(server);
      useEverything(app(), app());
      assertThat(more.of("delifeq")).isPositive();
    }
  }

  abstract static class Access extends ServerTest {
    /** What a user must be allowed to lock, as docs/stores/redis.md has it. */
    static final List<String> TO_LOCK =
        List.of(
            "+script|load",
            "+evalsha",
            "+eval",
            "+mget",
            "+set",
            "+del",
            "+exists",
            "+hget",
            "+hset",
            "+hsetnx",
            "+hdel",
            "+rpush",
            "+lpop",
            "+lindex",
            "+lpos",
            "+lrange",
            "+lrem",
            "+pexpire",
            "+pttl",
            "+time",
            "+publish",
            "+subscribe",
            "+ping");

    /** And to look: list and doctor. */
    static final List<String> TO_LOOK = List.of("+scan", "+info", "+config|get");

    Access(Kind kind) {
      super(RedisServer.of(kind));
    }

    /** How a message names that the user may not run TIME, which a script calls. */
    abstract String deniedInScript();

    @BeforeEach
    void addUser() {
      allow(TO_LOCK);
    }

    final void allow(List<String> permissions, List<String> more) {
      allow(both(permissions, more));
    }

    private static List<String> both(List<String> permissions, List<String> more) {
      List<String> all = new ArrayList<>(permissions);
      all.addAll(more);
      return all;
    }

    final void allow(List<String> permissions) {
      List<String> command =
          new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">one"));
      command.addAll(List.of("~" + prefix() + "*", "&" + prefix() + "*"));
      command.addAll(permissions);
      server.command(command.toArray(String[]::new));
    }

    final Engine app() {
      return clientAt(server.url("app", "one"), how -> how);
    }

    /** All that an application does. */
    final void useEverything(Engine client, Engine other) throws Exception {
      client.lock("pair").acquire().release();
      for (LockOptions how : List.of(LockOptions.defaults(), LockOptions.defaults().fair())) {
        Lease held = other.lock("a").with(how).acquire(PATIENCE);
        assertThat(client.lock("a").tryAcquire()).isEmpty();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a").with(how), other);
        await().atMost(PATIENCE).until(() -> waiter.isDone() || !channels().isEmpty());
        server.command("SCRIPT", "FLUSH");
        held.release();
        Lease next = served(waiter);
        assertThat(client.lock("a").inspect()).isPresent();
        next.ensureHeld(next.remaining().plusNanos(1));
        beginToWait(other.lock("a").with(how), other).cancel(true);
        assertThat(client.lock("a").breakLease(next.fencingToken())).isTrue();
      }
      client.readWriteLock("rw").readLock().acquire().release();
      client.semaphore("s", 2).acquire().release();
    }

    @Test
    void theLeastPermissionsAreEnough() throws Exception {
      useEverything(app(), app());
      requireNothingInTheStore();
    }

    @Test
    void lookingNeedsThreeMore() throws Exception {
      allow(TO_LOCK, TO_LOOK);
      Engine client = app();
      Lease held = client.lock("a").acquire();
      assertThat(client.list()).hasSize(1);
      assertThat(client.diagnose()).extracting("check").contains("persistence", "eviction");
      held.release();
    }

    @Test
    void aMissingPermissionIsRefusedByName() {
      allow(List.of("+@all", "-time"));
      Engine client = app();
      assertThatThrownBy(() -> client.lock("a").tryAcquire())
          .satisfies(told -> requireRefused(told, deniedInScript()));
      allow(List.of("+@all", "-scan"));
      assertThatThrownBy(client::list)
          .satisfies(
              told -> requireRefused(told, "refused: the user lacks the permission to run 'scan'"));
      allow(List.of("+ping"));
      assertThatThrownBy(this::app).satisfies(told -> requireRefused(told, "permission"));
    }

    @Test
    void keysOutsideOfThePrefixAreRefused() {
      allow(List.of("+@all", "resetkeys", "~other*", "allchannels"));
      assertThatThrownBy(this::app).satisfies(told -> requireRefused(told, "keys of the prefix"));
    }

    private static void requireRefused(Throwable told, String why) {
      assertThat(told)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining(why);
    }

    @Test
    void aWrongPasswordIsRefusedWithoutShowingIt() {
      assertThatThrownBy(() -> clientAt(server.url("app", "s3cret"), how -> how))
          .satisfies(told -> requireRefused(told, "password"))
          .hasMessageNotContaining("s3cret");
    }

    @Test
    void aPasswordThatIsChangedIsRefusedUntilItIsSetBack() throws Exception {
      Engine client = app();
      Lease held = client.lock("held").acquire();
      Lease busy = client().lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client());
      awaitListening();
      // Until it is polled: a refused attempt would end it.
      CommandCounts counts = CommandCounts.from(server);
      await().atMost(PATIENCE).until(() -> counts.of("evalsha") >= 2);
      server.command("ACL", "SETUSER", "app", "resetpass", ">two");
      server.command("CLIENT", "KILL", "USER", "app");
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.lock("b").tryAcquire())
                      .satisfies(told -> requireRefused(told, "password")));
      assertThat(held.isHeld()).isTrue();
      assertThat(waiter).as("it was answered, and outlasts failures").isNotDone();
      server.command("ACL", "SETUSER", "app", ">one");
      busy.release();
      served(waiter).release();
      held.ensureHeld(held.remaining().plusNanos(1));
      held.release();
      requireNothingLeft(client);
    }

    @Test
    void aClientThatMayWakeNoOtherIsWarned() throws Exception {
      List<String> mute = new ArrayList<>(TO_LOCK);
      mute.remove("+publish");
      for (List<String> permissions : List.of(mute, both(TO_LOCK, List.of("resetchannels")))) {
        allow(permissions);
        Queue<Finding> warned = new ConcurrentLinkedQueue<>();
        Engine client = clientAt(server.url("app", "one"), how -> how.listener(warnings(warned)));
        await()
            .untilAsserted(
                () -> assertThat(warned).extracting(Finding::check).contains("wake-ups"));
        assertThat(client.diagnose())
            .extracting(Finding::detail)
            .anyMatch(detail -> detail.startsWith("PUBLISH on " + prefix() + "wake:* is not"));
        Lease held = client.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
        held.release();
        served(waiter).release();
      }
      allow(TO_LOCK, TO_LOOK);
      assertThat(app().diagnose()).extracting(Finding::check).doesNotContain("wake-ups");
    }

    static LockListener warnings(Queue<Finding> warned) {
      return event -> {
        if (event instanceof LockEvent.StoreWarning warning) {
          warned.add(warning.finding());
        }
      };
    }

    @Test
    void aRefusedSubscriptionIsAskedForOnlyWhileSomethingWaits() throws Exception {
      List<String> deaf = new ArrayList<>(TO_LOCK);
      deaf.remove("+subscribe");
      allow(deaf);
      Engine client = app();
      Lease busy = client().lock("a").acquire();
      CompletableFuture<Lease> waiter = client.lock("a").acquireAsync(PATIENCE);
      await().atMost(PATIENCE).until(() -> refusedSubscriptions() > 0);
      waiter.cancel(true);
      requireNothingLeft(client);
      long refused = refusedSubscriptions();
      pass(Duration.ofMillis(2500));
      assertThat(refusedSubscriptions()).isLessThanOrEqualTo(refused + 1);
      busy.release();
      allow(TO_LOCK);
      Lease again = client().lock("a").acquire();
      CompletableFuture<Lease> next = beginToWait(client.lock("a"), client());
      awaitListening();
      again.release();
      served(next).release();
    }

    private long refusedSubscriptions() {
      String all =
          server.info("commandstats").getOrDefault("cmdstat_subscribe", "rejected_calls=0");
      return Long.parseLong(all.replaceAll(".*rejected_calls=(\\d+).*", "$1"));
    }

    @Test
    void theDatabaseOfTheUrlIsUsed() throws Exception {
      Engine client = clientAt(server.url() + "/3", how -> how);
      try (Lease held = client.lock("a").acquire()) {
        requireNothingInTheStore();
        assertThat(held.isHeld()).isTrue();
        assertThat(client.list()).hasSize(1);
      }
      assertThatThrownBy(() -> clientAt(server.url() + "/999", how -> how))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("DB index");
    }

    @Test
    void prefixesKeepApart() throws Exception {
      String url = server.url() + "?prefix=" + prefix();
      try (Lease held = add(Leasehold.builder(url + "one:")).lock("a").acquire();
          Lease other = add(Leasehold.builder(url + "two:")).lock("a").acquire()) {
        assertThat(List.of(held, other)).allMatch(Lease::isHeld);
      }
    }
  }
}
