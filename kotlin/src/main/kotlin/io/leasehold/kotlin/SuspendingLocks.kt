@file:JvmName("SuspendingLocks")

package io.leasehold.kotlin

import io.leasehold.DistributedLock
import io.leasehold.Lease
import io.leasehold.LeaseLostException
import io.leasehold.StoreException
import io.leasehold.spi.support.Log
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicReference
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.withContext

/**
 * Acquires this lock within [maxWait], runs [block], and releases the lock when the block has
 * returned, thrown or been cancelled. No thread waits: neither for the lock nor for the release.
 *
 * [maxWait] bounds the local queue, the network and retries together. Zero or less tries once,
 * [Duration.INFINITE] waits without limit. It has no default: without it, `withLock { }` means the
 * method of [DistributedLock] that blocks a thread, and does not compile.
 *
 * The receiver of the block is a scope that ends before the release: what the block launches in it
 * works under the lock. The block keeps the dispatcher of the caller.
 *
 * **Not re-entrant**, because a coroutine changes threads: a nested call on the same name waits for
 * itself, as [DistributedLock.acquire] does.
 *
 * **Cancelled while it waits**, the call gives up its place; a grant that arrives at that moment is
 * released. **Cancelled in the block**, it releases the lock once the block has ended. The release
 * itself is not cancelled, and takes at most the request timeout of the client.
 *
 * **If the lease is lost**, the scope of the block is cancelled at once, with [LeaseLostException]
 * as the cause, and the call throws [LeaseLostException] when the block has ended. Jeopardy is not
 * a loss: [Lease.onJeopardy] reports it. A block that does not suspend can ask `isActive`, and
 * sends the [Lease.fencingToken] with each write.
 *
 * **If the outcome of the release is unknown**, the call ends with the result of the block: the log
 * and `LockEvent.UnknownOutcome` report that, and the ttl ends the lease.
 *
 * @throws io.leasehold.LockTimeoutException if the lock did not come free in time
 * @throws StoreException if the store cannot be asked, or the outcome is unknown; the block did not
 *   start
 * @throws LeaseLostException if the lease was lost meanwhile, or the client closed. An exception of
 *   the block, or a cancellation of the caller, takes precedence and carries it as suppressed
 */
public suspend fun <T> DistributedLock.withLock(
  maxWait: Duration,
  block: suspend CoroutineScope.(Lease) -> T,
): T = granted({ acquireAsync(maxWait.toJavaDuration()) }, { it }).hold(block)

/**
 * As [withLock], but returns null, and does not run [block], if the lock did not come free within
 * [maxWait]. Zero or less tries once, without waiting for a holder. The block returns no null, so
 * null says only that.
 */
public suspend fun <T : Any> DistributedLock.tryWithLock(
  maxWait: Duration,
  block: suspend CoroutineScope.(Lease) -> T,
): T? =
  granted({ tryAcquireAsync(maxWait.toJavaDuration()) }, { it.orElse(null) }).orElse(null)?.hold(block)

/** What [ask] is answered. Cancelled, it leaves no lease behind. */
private suspend fun <V : Any> granted(
  ask: () -> CompletableFuture<V>,
  leaseOf: (V) -> Lease?,
): V {
  currentCoroutineContext().ensureActive()
  val wait = ask()
  try {
    return wait.await()
  } catch (cancelled: CancellationException) {
    // The engine releases what it grants to a cancelled future; a grant that came first is ours
    if (!wait.cancel(true) && !wait.isCompletedExceptionally) {
      leaseOf(wait.join())?.end()?.let(cancelled::addSuppressed)
    }
    throw cancelled
  }
}

private suspend fun <T> Lease.hold(block: suspend CoroutineScope.(Lease) -> T): T {
  val noticed = AtomicReference<LeaseLostException>()
  val outcome = runCatching {
    coroutineScope {
      onLost { reason ->
        val loss = LeaseLostException("lock '${name()}': the lease was lost ($reason) while its block ran")
        noticed.set(loss)
        cancel(CancellationException(loss.message).apply { initCause(loss) })
      }
      block(this@hold)
    }
  }
  val notReleased = end()
  val failed = outcome.exceptionOrNull()
  val lost = notReleased as? LeaseLostException ?: noticed.get()
  if (failed is CancellationException && lost != null && currentCoroutineContext().isActive) {
    throw lost
  }
  if (failed != null) {
    notReleased?.let(failed::addSuppressed)
  } else if (notReleased is StoreException) {
    // As withLock of core: an event and the log report it, and it does not take the result away
    Log.warn(notReleased.message.toString())
  } else if (notReleased != null) {
    throw notReleased
  }
  return outcome.getOrThrow()
}

/** Releases the lease, also in a cancelled coroutine; what the release failed with. */
private suspend fun Lease.end(): Throwable? =
  withContext(NonCancellable) { runCatching { releaseAsync().await() }.exceptionOrNull() }
