package io.leasehold.testkit.contract;

/** The promises, in the order of their numbers: what is promised, and what that is good for. */
public enum Rule {
  /** Mutual exclusion. */
  R01(
      "Only one holder",
      "At most one exclusive lease of a name is live at any moment, by the store's clock. Readers exclude writers. A semaphore never grants more permits than it has, and its size is fixed while a client holds or waits for it.",
      "Two schedulers cannot both run the job. A client that uses the name as another kind of lock, or with another size, gets an error at once (`LockKindException`) and not a second lock."),
  /** A try does not wait. */
  R02(
      "A try never waits for a holder",
      "The store answers a single attempt at once, whether the lock is held or not.",
      "`tryAcquire()` costs one request, so a request handler can call it."),
  /** Repeats. */
  R03(
      "A repeated request changes nothing",
      "An attempt that is repeated with the same lease id gets the same answer. The repeat neither extends the lease nor grants a new one.",
      "The engine resolves a lost reply by asking again. A lost reply never leaves behind a lock that no client knows about."),
  /** Fencing. */
  R04(
      "Fencing tokens only rise",
      "Each grant of a name has a higher token than every earlier grant of that name, also after a release, an expiry, and a restart of the process or the store. A reader's token is higher than those of earlier writers and lower than those of later ones.",
      "If the data refuses every token lower than the highest it has seen, a holder that was paused for longer than its lease can do no harm."),
  /** Ttl. */
  R05(
      "A ttl means what it says",
      "The ttl is rounded up to the store's step, never to zero and never to forever. The store refuses a ttl outside its limits.",
      "A ttl of 1.5 s does not silently become 1 s, and a wrong unit fails at the line that contains it."),
  /** Renewal. */
  R06(
      "Renewal never revives",
      "Renewing a lease that has expired, or that another client holds, changes nothing and reports it. The holder notices within one renewal period that an operator broke its lease.",
      "Once another client may hold the lock, nothing brings the old lease back."),
  /** Release by the holder. */
  R07(
      "Only the holder releases",
      "Releasing a lease that the caller does not hold changes nothing and reports it.",
      "A holder that is late cannot release the lock of the next holder."),
  /** Release. */
  R08(
      "Release is by lease, and idempotent",
      "A release frees exactly one lease, whatever else the same process or session holds. A second call does nothing.",
      "`close()` in a `finally` block is always safe."),
  /** Giving up. */
  R09(
      "A waiter that gives up leaves no trace",
      "After a timeout, an interrupt or a cancellation, the caller never receives the lock later. The waiter can delay others only for the one round trip that withdraws it; during that time a store may still grant the lock to it.",
      "A request that ended minutes ago never holds a lock."),
  /** Death. */
  R10(
      "A dead holder's lock comes free",
      "The lock comes free by itself, within its ttl plus the delay that the store declares.",
      "`kill -9`, a power failure and a lost network need no operator."),
  /** Wake-ups. */
  R11(
      "A lost wake-up costs a second at most",
      "Wake-ups are hints. A poll with a bounded interval backs them up.",
      "A waiter never hangs because one message was lost."),
  /** Unknown outcomes. */
  R12(
      "Silence is not an answer",
      "A reply that never came is reported as an unknown outcome, never as busy and never as released. If the first attempt cannot reach the store, the call fails fast. Once the store has answered, a waiter keeps trying until its deadline.",
      "`StoreException` and `LockTimeoutException` distinguish a broken store from a busy lock."),
  /** Names. */
  R13(
      "Any name is a name",
      "A lock name has up to 255 code points, and may contain hostile ones. Names never collide, are never normalised and cannot inject anything. A name that is refused is refused with a clear error.",
      "Names may come from data: order numbers, paths, titles."),
  /** Close. */
  R14(
      "Close ends everything",
      "Closing a client releases every lease that it holds and notifies each holder of the loss. It ends every wait, thread and connection in bounded time, and does not throw.",
      "An application stops when it should, and the next one need not wait for a ttl. Work that still runs under a lock learns that it has lost the lock; with `closeWaitsForHolders()` the work can finish first."),
  /** Traits. */
  R15(
      "What a store cannot do is refused",
      "If the store lacks a required trait, the client is refused when it is built. The message says what to write to accept the store.",
      "No promise becomes weaker because the URL changed."),
  /** Deadlines. */
  R16(
      "A deadline is a deadline",
      "`tryAcquire(t)` returns within t, even if the store is silent. One budget covers queue, network and retries.",
      "A request handler with 300 ms left can spend 200 of them on a lock."),
  /** Validity. */
  R17(
      "A lease is never believed for too long",
      "Validity starts when the client sends the request that the store answers. It lasts for the remaining life that the answer states, less the drift allowed between two clocks. After that `isHeld()` returns false, whenever it is called.",
      "A process that resumes after a pause sees that its lease is over before it does anything."),
  /** Interrupts. */
  R18(
      "Interrupts are honoured",
      "An interrupt takes effect at once during a wait, and at the end of the request at the latest. It is never swallowed and never wrapped.",
      "Thread pools shut down, and virtual threads can be cancelled."),
  /** Free calls. */
  R19(
      "Re-entry and looking are free",
      "Re-entry, `isHeld` and `remaining` make no network call.",
      "Code may check as often as it likes."),
  /** Order. */
  R20(
      "First come, first served",
      "Waiters of one process are always served in order, and no try overtakes a waiter. `fair` waiters are served in order across processes, each by its own place; neighbours of one process share out their places in the order of their calls, may be granted as one run, and are served along it without a request, each with a higher token. A store without a queue refuses `fair`. Readers that arrive after a waiting writer are served after it.",
      "No waiter is overtaken within its process, and no fair waiter is overtaken at all."),
  /** The longest life. */
  R21(
      "A lease can have a longest life",
      "At the end of `maxHold` the lease is lost and then released, even if its holder hangs. Without renewal a lease lives for one ttl.",
      "A job that hangs does not hold the lock until an operator intervenes.");

  private final String title;
  private final String promise;
  private final String meaning;

  Rule(String title, String promise, String meaning) {
    this.title = title;
    this.promise = promise;
    this.meaning = meaning;
  }

  /** Its number. */
  public int number() {
    return Integer.parseInt(name().substring(1));
  }

  /** In a few words. */
  public String title() {
    return title;
  }

  /** What is promised. */
  public String promise() {
    return promise;
  }

  /** What it means for a user. */
  public String meaning() {
    return meaning;
  }
}
