package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedReadWriteLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.ManualClock;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Read and write locks: who shares, who waits, and what the store is asked. */
@Timeout(90)
class ReadersTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void readersOfAProcessShareOneLease(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    DistributedReadWriteLock lock = engines.client(factory, new ManualClock()).readWriteLock("n");
    Lease one = lock.readLock().acquire();
    Lease two = lock.readLock().acquire();
    Optional<Lease> three = lock.readLock().tryAcquire();

    assertThat(two.leaseId()).isEqualTo(one.leaseId()).isEqualTo(three.orElseThrow().leaseId());
    assertThat(two.fencingToken()).isEqualTo(one.fencingToken() + 1);
    assertThat(three.orElseThrow().fencingToken()).isEqualTo(one.fencingToken() + 2);
    assertThat(factory.count("attempt")).isEqualTo(1);

    one.release();
    assertThat(one.isHeld()).isFalse();
    assertThat(two.isHeld()).isTrue();
    two.release();
    assertThat(factory.count("release")).isZero();
    three.orElseThrow().release();
    assertThat(factory.count("release")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aReaderThatJoinsLaterAsksTheStoreFirstWhoElseWaits(Calls calls) throws Exception {
    engines.serve(calls);
    ManualClock clock = new ManualClock();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    DistributedReadWriteLock lock = engines.client(factory, clock).readWriteLock("n");
    Lease one = lock.readLock().acquire();
    clock.advance(Duration.ofMillis(60));

    Lease two = lock.readLock().acquire(Duration.ofSeconds(5));

    assertThat(two.leaseId()).isEqualTo(one.leaseId());
    assertThat(factory.count("attempt")).isEqualTo(1);
    assertThat(factory.count("renew")).isEqualTo(1);
    one.release();
    two.release();
  }

  /** An answer that comes late says nothing of now, however often it is asked for. */
  @ParameterizedTest
  @EnumSource
  void aReaderContendsItselfWhereTheStoreIsSlow(Calls calls) throws Exception {
    engines.serve(calls);
    AtomicInteger renewals = new AtomicInteger();
    StoreFactory slow =
        HookedStore.over(
            engines.server(),
            call -> {
              if (call.is("renew")) {
                renewals.incrementAndGet();
                pass(Duration.ofMillis(60));
              }
              return call.proceed();
            });
    DistributedReadWriteLock lock = engines.client(slow, b -> b).readWriteLock("n");
    Lease one = lock.readLock().acquire();
    pass(Duration.ofMillis(60));
    Lease two = lock.readLock().acquire(Duration.ofSeconds(5));
    assertThat(one.isHeld()).isTrue();
    assertThat(renewals).hasValue(1);
    pass(Duration.ofMillis(60));
    Optional<Lease> three = lock.readLock().tryAcquire();
    assertThat(renewals).hasValue(2);
    three.orElseThrow().release();
    two.release();
    one.release();
  }

  @ParameterizedTest
  @EnumSource
  void aReaderThatCannotReachTheStoreFailsFastThoughOthersRead(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    DistributedReadWriteLock lock = engines.client(factory, b -> b).readWriteLock("n");
    Lease one = lock.readLock().acquire();
    pass(Duration.ofMillis(60));
    factory.become(Mood.UNAVAILABLE);
    assertThatThrownBy(() -> lock.readLock().acquire(Duration.ofMinutes(1)))
        .isInstanceOf(StoreException.class);
    assertThat(factory.count("renew")).isEqualTo(1);
    assertThat(factory.count("attempt")).isBetween(2, 3);
    factory.become(Mood.NORMAL);
    one.release();
  }

  private static void pass(Duration time) {
    long begun = System.nanoTime();
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(() -> System.nanoTime() - begun > time.toNanos());
  }

  @Test
  void aReaderThatComesAfterAWaitingWriterElsewhereIsServedAfterIt() throws Exception {
    DistributedReadWriteLock here = engines.client().readWriteLock("n");
    DistributedReadWriteLock there = engines.client().readWriteLock("n");
    Lease reading = here.readLock().acquire();
    Running<Lease> writer = start(() -> there.writeLock().acquire());
    await().until(() -> here.writeLock().inspect().orElseThrow().waiters().size() == 1);
    long queued = System.nanoTime();
    await().until(() -> System.nanoTime() - queued > 60_000_000);

    assertThat(here.readLock().tryAcquire()).isEmpty();
    assertThat(there.readLock().tryAcquire()).isEmpty();
    Running<Lease> reader = start(() -> here.readLock().acquire());
    await().until(() -> here.writeLock().inspect().orElseThrow().waiters().size() == 2);
    reading.release();

    Lease written = writer.result();
    assertThat(reader.isDone()).isFalse();
    assertThat(written.fencingToken()).isGreaterThan(reading.fencingToken());
    written.release();
    Lease read = reader.result();
    assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
    read.release();
  }

  @Test
  void aWriterOfTheSameProcessWaitsAtTheStoreWhileReadersHold() throws Exception {
    DistributedReadWriteLock here = engines.client().readWriteLock("n");
    DistributedReadWriteLock there = engines.client().readWriteLock("n");
    Lease reading = here.readLock().acquire();
    Running<Lease> writer = start(() -> here.writeLock().acquire());
    await().until(() -> here.writeLock().inspect().orElseThrow().waiters().size() == 1);
    assertThat(there.readLock().tryAcquire()).isEmpty();
    Running<Lease> reader = start(() -> here.readLock().acquire());
    reader.waiting();
    reading.release();
    Lease written = writer.result();
    assertThat(reader.isDone()).isFalse();
    written.release();
    reader.result().release();
  }

  @Test
  void whenTheWriterGivesUpTheReadersBehindItGoOn() throws Exception {
    Engine client = engines.client();
    DistributedReadWriteLock lock = client.readWriteLock("n");
    Lease reading = lock.readLock().acquire();
    Running<Optional<Lease>> writer =
        start(() -> lock.writeLock().tryAcquire(Duration.ofMillis(300)));
    writer.waiting();
    Running<Lease> reader = start(() -> lock.readLock().acquire());
    reader.waiting();
    assertThat(writer.result()).isEmpty();
    reader.result().release();
    reading.release();
  }

  @Test
  void aWriteLockIsTheLockOfThatName() throws Exception {
    Engine one = engines.client();
    Engine two = engines.client();
    Lease writing = one.readWriteLock("n").writeLock().acquire();
    assertThat(two.lock("n").tryAcquire()).isEmpty();
    assertThat(two.readWriteLock("n").readLock().tryAcquire()).isEmpty();
    assertThat(one.readWriteLock("n").readLock().tryAcquire()).isEmpty();
    writing.release();
    try (Lease reading = two.readWriteLock("n").readLock().acquire()) {
      assertThat(reading.fencingToken()).isGreaterThan(writing.fencingToken());
      assertThat(one.lock("n").tryAcquire()).isEmpty();
      assertThat(two.lock("n").tryAcquire()).isEmpty();
    }
  }

  @Test
  void aDowngradeKeepsTheLeaseAndItsTokenUntilTheLastReadHold() throws Exception {
    DistributedReadWriteLock here = engines.client().readWriteLock("n");
    DistributedReadWriteLock there = engines.client().readWriteLock("n");
    Lock read = here.asReadWriteLock().readLock();
    Lock write = here.asReadWriteLock().writeLock();
    write.lock();
    read.lock();
    read.lock();
    write.unlock();
    assertThatThrownBy(write::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(write.tryLock()).isFalse();
    here.readLock()
        .withLock(
            lease ->
                assertThat(FenceNumber.number(lease.fencingToken()))
                    .isEqualTo(
                        FenceNumber.number(
                            here.writeLock()
                                .inspect()
                                .orElseThrow()
                                .holders()
                                .get(0)
                                .fencingToken())));
    read.unlock();
    assertThat(there.readLock().tryAcquire()).isEmpty();
    read.unlock();
    there.readLock().tryAcquire().orElseThrow().release();
  }

  @Test
  void anUpgradeIsRefused() throws Exception {
    DistributedReadWriteLock lock = engines.client().readWriteLock("n");
    lock.readLock()
        .withLock(
            reading -> {
              assertThat(thrownBy(() -> lock.writeLock().callWithLock(writing -> 1)))
                  .isEqualTo("IllegalMonitorStateException");
              assertThatThrownBy(lock.asReadWriteLock().writeLock()::lock)
                  .isInstanceOf(IllegalMonitorStateException.class);
              assertThat(lock.asReadWriteLock().writeLock().tryLock()).isFalse();
            });
  }

  @Test
  void aReaderReentersWhileAWriterWaits() throws Exception {
    DistributedReadWriteLock lock = engines.client().readWriteLock("n");
    Lock read = lock.readLock().asLock();
    read.lock();
    Running<Lease> writer = start(() -> lock.writeLock().acquire());
    writer.waiting();
    read.lock();
    read.unlock();
    read.unlock();
    writer.result().release();
  }

  @Test
  void theLongestLifeOfOneReaderEndsNoOther() throws Exception {
    engines.serveReporting(Calls.NON_BLOCKING);
    DistributedReadWriteLock lock = engines.client().readWriteLock("n");
    Lease one = lock.readLock().acquire();
    Lease two =
        lock.with(LockOptions.defaults().withMaxHold(Duration.ofMillis(100))).readLock().acquire();
    assertThat(two.leaseId()).isEqualTo(one.leaseId());
    Running<Void> told =
        start(
            () -> {
              await().until(() -> !two.isHeld());
              return null;
            });
    told.result();
    assertThat(one.isHeld()).isTrue();
    await()
        .untilAsserted(
            () ->
                assertThat(
                        thrownBy(
                            () -> {
                              two.release();
                              return null;
                            }))
                    .isIn("", "LeaseLostException"));
    assertThat(one.isHeld()).isTrue();
    one.release();
  }

  @Test
  void readersLoseAllWhenTheirLeaseIsBroken() throws Exception {
    engines.serveReporting(Calls.NON_BLOCKING);
    DistributedReadWriteLock lock =
        engines.client(b -> b.ttl(Duration.ofMillis(600))).readWriteLock("n");
    Lease one = lock.readLock().acquire();
    Lease two = lock.readLock().acquire();
    assertThat(lock.readLock().breakLease(two.fencingToken())).isTrue();
    assertThat(lock.readLock().breakLease(two.fencingToken())).isFalse();
    await().until(() -> !one.isHeld() && !two.isHeld());
    assertThatThrownBy(one::release).isInstanceOf(io.leasehold.LeaseLostException.class);
    assertThatThrownBy(two::release).isInstanceOf(io.leasehold.LeaseLostException.class);
  }
}
