package io.leasehold.kotlin

import io.leasehold.LockClient
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.launch

/** What docs/kotlin.md quotes. */
internal class Invoices(private val locks: LockClient, private val ledger: Ledger) {
  fun interface Ledger {
    suspend fun post(invoice: String, fencingToken: Long)
  }

  suspend fun run(invoices: List<String>): Int {
    return locks.lock("invoice-run").withLock(5.seconds) { lease ->
      invoices.forEach { invoice -> ledger.post(invoice, lease.fencingToken()) }
      invoices.size
    }
  }

  suspend fun runUnlessAnotherDoes(invoices: List<String>): Int {
    val posted =
      locks.lock("invoice-run").tryWithLock(Duration.ZERO) { lease ->
        invoices.forEach { invoice -> launch { ledger.post(invoice, lease.fencingToken()) } }
        invoices.size
      }
    return posted ?: 0
  }
}
