package io.leasehold.kotlin

import io.leasehold.ClientClosedException
import io.leasehold.DistributedLock
import io.leasehold.Lease
import io.leasehold.LeaseLostException
import io.leasehold.Leasehold
import io.leasehold.LockClient
import io.leasehold.LockOptions
import io.leasehold.LockTimeoutException
import io.leasehold.StoreException
import io.leasehold.testkit.FaultyStore
import io.leasehold.testkit.InMemoryServer
import java.io.IOException
import java.time.Duration as JavaDuration
import java.util.concurrent.CancellationException
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Locks for coroutines: the wait, the block, its end, and what is left behind. */
@Timeout(90)
class SuspendingLocksTest {
  private val server = InMemoryServer()
  private val faults = FaultyStore(server)
  private val client = client()
  private val other = Leasehold.builder(server).build()
  private val lock = client.lock("n")

  /** A ttl at which a loss is noticed soon, and that a slow machine still renews. */
  private fun client(): LockClient =
    Leasehold.builder(faults)
      .ttl(JavaDuration.ofSeconds(3))
      .requestTimeout(JavaDuration.ofSeconds(2))
      .build()

  @AfterEach
  fun close() {
    client.close()
    other.close()
  }

  /** On one thread, and not for ever. Failures of what is launched in it do not end it. */
  private fun test(body: suspend CoroutineScope.() -> Unit) = runBlocking {
    withTimeout(80.seconds) {
      val scope = CoroutineScope(coroutineContext + SupervisorJob())
      scope.body()
      assertNothingIsLeft()
    }
  }

  private suspend fun assertNothingIsLeft() {
    until { client.snapshot().run { held() == 0 && waiting() == 0 } }
    until { server.list().isEmpty() }
  }

  private suspend fun until(condition: () -> Boolean) {
    while (!condition()) {
      delay(2)
    }
  }

  private suspend fun aWaiter() = until { client.snapshot().waiting() == 1 }

  @OptIn(ExperimentalCoroutinesApi::class)
  private suspend fun failureOf(call: Deferred<*>): Throwable {
    call.join()
    return checkNotNull(call.getCompletionExceptionOrNull()) { "it ended with ${call.await()}" }
  }

  /** As an operator does; the client notices at its next renewal. */
  private fun breakLease(lease: Lease) = check(other.lock("n").breakLease(lease.fencingToken()))

  private suspend fun never(): Nothing = error("the block ran")

  // ---- the wait

  @Test
  fun theBlockRunsUnderTheLock() = test {
    val result =
      lock.withLock(1.minutes) { lease ->
        assertThat(server.list().single().holders().single().fencingToken())
          .isEqualTo(lease.fencingToken())
        assertThat(lease.isHeld).isTrue()
        "done"
      }
    assertThat(result).isEqualTo("done")
    assertThat(server.list()).isEmpty()
    assertThat(lock.withLock<String?>(1.minutes) { null }).isNull()
  }

  @Test
  fun manyCoroutinesExcludeEachOtherOnOneThread() = test {
    var running = 0
    var ran = 0
    List(200) {
        launch {
          lock.withLock(Duration.INFINITE) {
            assertThat(++running).isEqualTo(1)
            yield()
            running--
            ran++
          }
        }
      }
      .forEach { it.join() }
    assertThat(ran).isEqualTo(200)
  }

  @Test
  fun twoClientsExcludeEachOtherOnManyThreads() = test {
    var counter = 0
    List(200) { i ->
        launch(Dispatchers.Default) {
          (if (i % 2 == 0) lock else other.lock("n")).withLock(1.minutes) {
            val before = counter
            yield()
            counter = before + 1
          }
        }
      }
      .forEach { it.join() }
    assertThat(counter).isEqualTo(200)
  }

  @Test
  fun aWaitEndsWithItsTime() = test {
    val held = other.lock("n").acquire()
    val call = async { lock.withLock(20.milliseconds) { never() } }
    assertThat(failureOf(call)).isInstanceOf(LockTimeoutException::class.java)
    val once = async { lock.withLock(Duration.ZERO) { never() } }
    assertThat(failureOf(once)).isInstanceOf(LockTimeoutException::class.java)
    held.release()
  }

  @Test
  fun aTryIsNullOnlyIfTheLockIsBusy() = test {
    val held = other.lock("n").acquire()
    assertThat(lock.tryWithLock(Duration.ZERO) { never() } as Any?).isNull()
    assertThat(lock.tryWithLock(20.milliseconds) { never() } as Any?).isNull()
    val patient = async { lock.tryWithLock(Duration.INFINITE) { it.isHeld } }
    aWaiter()
    held.release()
    assertThat(patient.await()).isTrue()
    assertThat(lock.tryWithLock(Duration.ZERO) { "done" }).isEqualTo("done")
  }

  @Test
  fun aNestedCallWaitsForItself() = test {
    val call = async { lock.withLock(1.minutes) { lock.withLock(20.milliseconds) { never() } } }
    assertThat(failureOf(call)).isInstanceOf(LockTimeoutException::class.java)
  }

  @Test
  fun aStoreThatCannotBeAskedFailsTheCall() = test {
    faults.cut()
    val call = async { lock.withLock(1.minutes) { never() } }
    assertThat(failureOf(call)).isInstanceOf(StoreException::class.java)
    faults.heal()
  }

  @Test
  fun aClientThatIsClosedEndsTheWait() = test {
    val held = other.lock("n").acquire()
    val call = async { lock.withLock(1.minutes) { never() } }
    aWaiter()
    client.close()
    assertThat(failureOf(call)).isInstanceOf(ClientClosedException::class.java)
    held.release()
  }

  // ---- cancelled while it waits

  @Test
  fun aCancelledCoroutineAsksForNothing() = test {
    val call = async {
      coroutineContext.job.cancel()
      lock.withLock(1.minutes) { never() }
    }
    assertThat(failureOf(call)).isInstanceOf(CancellationException::class.java)
    assertThat(faults.requests()).isZero()
  }

  @Test
  fun aCancelledWaitLeavesNothing() = test {
    val held = other.lock("n").acquire()
    val calls =
      listOf(
        async { lock.withLock(Duration.INFINITE) { never() } },
        async { lock.tryWithLock(1.minutes) { never() } },
      )
    until { client.snapshot().waiting() == 2 }
    calls.forEach { it.cancel() }
    calls.forEach { assertThat(failureOf(it)).isInstanceOf(CancellationException::class.java) }
    until { client.snapshot().waiting() == 0 && server.list().single().waiters().isEmpty() }
    held.release()
  }

  @Test
  fun aTimeoutOfTheCoroutineEndsTheWait() = test {
    val held = other.lock("n").acquire()
    val call = async { withTimeout(20.milliseconds) { lock.withLock(1.minutes) { never() } } }
    assertThat(failureOf(call)).isInstanceOf(TimeoutCancellationException::class.java)
    held.release()
  }

  @Test
  fun aGrantThatComesBeforeTheCancellationIsReleased() = test {
    cancelBetweenGrantAndBlock { lock.withLock(1.minutes) { never() } }
  }

  @Test
  fun aGrantOfATryThatComesBeforeTheCancellationIsReleased() = test {
    cancelBetweenGrantAndBlock { lock.tryWithLock(1.minutes) { never() } }
  }

  /** The grant has completed the future, and its coroutine has not gone on yet. */
  private suspend fun cancelBetweenGrantAndBlock(call: suspend () -> Unit) {
    val held = other.lock("n").acquire()
    val dispatcher = StepByStep()
    val job = CoroutineScope(dispatcher).async { call() }
    dispatcher.next().run()
    aWaiter()
    held.release()
    val goesOn = dispatcher.next()
    assertThat(client.snapshot().held()).isEqualTo(1)
    job.cancel()
    goesOn.run()
    while (!job.isCompleted) {
      dispatcher.next().run()
    }
    assertThat(failureOf(job)).isInstanceOf(CancellationException::class.java)
    assertThat(server.list()).isEmpty()
  }

  /** Runs nothing by itself. */
  private class StepByStep : CoroutineDispatcher() {
    private val steps = LinkedBlockingQueue<Runnable>()

    override fun dispatch(context: CoroutineContext, block: Runnable) = steps.put(block)

    fun next(): Runnable = checkNotNull(steps.poll(30, TimeUnit.SECONDS)) { "nothing goes on" }
  }

  @Test
  fun aGrantAtTheMomentOfTheCancellationIsReleasedOrUsed() = test {
    repeat(200) {
      val held = other.lock("n").acquire()
      val call = async(Dispatchers.Default) { lock.withLock(1.minutes) {} }
      aWaiter()
      val release = launch(Dispatchers.IO) { held.release() }
      call.cancel()
      call.join()
      release.join()
      assertNothingIsLeft()
    }
  }

  // ---- the end of the block

  @Test
  fun aBlockThatThrowsReleasesTheLock() = test {
    val call = async { lock.withLock(1.minutes) { throw IOException("of the block") } }
    assertThat(failureOf(call)).isInstanceOf(IOException::class.java)
    assertThat(server.list()).isEmpty()
  }

  @Test
  fun aBlockThatIsCancelledReleasesTheLockOnceItHasEnded() = test {
    val begun = CompletableDeferred<Unit>()
    var heldAtTheEnd = false
    val call = async {
      lock.withLock(1.minutes) { lease ->
        try {
          begun.complete(Unit)
          awaitCancellation()
        } finally {
          withContext(NonCancellable) { yield() }
          heldAtTheEnd = lease.isHeld
        }
      }
    }
    begun.await()
    call.cancel()
    assertThat(failureOf(call)).isInstanceOf(CancellationException::class.java)
    assertThat(heldAtTheEnd).isTrue()
    assertThat(server.list()).`as`("the call ends after the release").isEmpty()
  }

  @Test
  fun whatTheBlockLaunchesWorksUnderTheLock() = test {
    var heldInside = false
    lock.withLock(1.minutes) { lease ->
      launch {
        yield()
        heldInside = lease.isHeld
      }
    }
    assertThat(heldInside).isTrue()
  }

  @Test
  fun anUnknownOutcomeOfTheReleaseDoesNotTakeTheResultAway() = test {
    val result =
      lock.withLock(1.minutes) {
        faults.loseReplies()
        "done"
      }
    assertThat(result).isEqualTo("done")
    faults.heal()
  }

  @Test
  fun anUnknownOutcomeOfTheReleaseGoesWithTheFailureOfTheBlock() = test {
    val call = async {
      lock.withLock(1.minutes) {
        faults.loseReplies()
        throw IOException("of the block")
      }
    }
    val failed = failureOf(call)
    assertThat(failed).isInstanceOf(IOException::class.java)
    assertThat(failed.suppressed.single()).isInstanceOf(StoreException::class.java)
    faults.heal()
  }

  // ---- losses

  @Test
  fun aLossCancelsTheBlockAndIsThrown() = test {
    var cause: Throwable? = null
    var childCancelled = false
    val here = Thread.currentThread()
    val call = async {
      lock.withLock(1.minutes) { lease ->
        launch {
          try {
            awaitCancellation()
          } finally {
            childCancelled = true
          }
        }
        yield()
        breakLease(lease)
        try {
          awaitCancellation()
        } catch (e: CancellationException) {
          assertThat(Thread.currentThread()).isSameAs(here)
          // Where assertions are on, it is a copy whose cause is the original
          cause = generateSequence<Throwable>(e) { it.cause }.last()
          throw e
        }
      }
    }
    assertThat(failureOf(call)).isInstanceOf(LeaseLostException::class.java)
    assertThat(cause).isInstanceOf(LeaseLostException::class.java)
    assertThat(childCancelled).isTrue()
  }

  /** Though its only thread is busy: the cancellation waits for no dispatcher. */
  @Test
  fun aBlockThatDoesNotSuspendSeesTheLoss() = test {
    val call = async {
      lock.withLock(1.minutes) { lease ->
        breakLease(lease)
        while (isActive) {
          Thread.onSpinWait()
        }
      }
    }
    assertThat(failureOf(call)).isInstanceOf(LeaseLostException::class.java)
  }

  @Test
  fun aBlockThatIgnoresTheLossDoesNotHideIt() = test {
    val call = async {
      lock.tryWithLock(1.minutes) { lease ->
        breakLease(lease)
        try {
          awaitCancellation()
        } catch (e: CancellationException) {
          runCatching { lease.release() }
          "done"
        }
      }
    }
    assertThat(failureOf(call)).isInstanceOf(LeaseLostException::class.java)
  }

  @Test
  fun aLossAtTheVeryEndIsThrown() = test {
    val call = async { lock.withLock(1.minutes) { lease -> breakLease(lease) } }
    assertThat(failureOf(call)).isInstanceOf(LeaseLostException::class.java)
  }

  @Test
  fun aFailureOfTheBlockGoesBeforeTheLoss() = test {
    val call = async {
      lock.withLock(1.minutes) { lease ->
        breakLease(lease)
        throw IOException("of the block")
      }
    }
    val failed = failureOf(call)
    assertThat(failed).isInstanceOf(IOException::class.java)
    assertThat(failed.suppressed.single()).isInstanceOf(LeaseLostException::class.java)
  }

  @Test
  fun aCancellationOfTheCallerGoesBeforeTheLoss() = test {
    val begun = CompletableDeferred<Unit>()
    val call = async {
      lock.withLock(1.minutes) { lease ->
        breakLease(lease)
        begun.complete(Unit)
        awaitCancellation()
      }
    }
    begun.await()
    call.cancel()
    assertThat(failureOf(call)).isInstanceOf(CancellationException::class.java)
  }

  @Test
  fun aTimeoutInTheBlockIsNoLoss() = test {
    val call = async {
      lock.withLock(1.minutes) { withTimeout(1.milliseconds) { awaitCancellation() } }
    }
    assertThat(failureOf(call)).isInstanceOf(TimeoutCancellationException::class.java)
  }

  @Test
  fun aClientThatIsClosedEndsTheBlock() = test {
    val call = async {
      lock.withLock(1.minutes) {
        withContext(Dispatchers.IO) { client.close() }
        awaitCancellation()
      }
    }
    assertThat(failureOf(call)).isInstanceOf(LeaseLostException::class.java)
  }

  @Test
  fun jeopardyIsNoLoss() = test {
    val endangered = CompletableDeferred<Unit>()
    val patient: DistributedLock =
      client
        .lock("n")
        .with(LockOptions.defaults().withTtl(JavaDuration.ofSeconds(9)))
    val result =
      patient.withLock(1.minutes) { lease ->
        lease.onJeopardy { endangered.complete(Unit) }
        faults.cut()
        endangered.await()
        faults.heal()
        "done"
      }
    assertThat(result).isEqualTo("done")
  }
}
