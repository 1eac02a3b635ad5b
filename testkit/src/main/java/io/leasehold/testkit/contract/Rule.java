package io.leasehold.testkit.contract;

/** The promises, in the order of their numbers: what is promised, and what that is good for. */
public enum Rule {
  /** Mutual exclusion. */
  R01(
      "Only one holder",
      "At most one exclusive lease of a name lives, by the store's clock. Readers exclude writers. A semaphore never"
          + " has more permits out than it has, and its size binds while anybody holds or waits.",
      "Two schedulers cannot both fire. A name used as another kind of lock, or with another size, is an error at"
          + " once (`LockKindException`) and not a second lock."),
  /** A try does not wait. */
  R02(
      "A try never waits for a holder",
      "A single attempt is answered at once, whoever holds.",
      "`tryAcquire()` costs one request, so it can stand in a request handler."),
  /** Repeats. */
  R03(
      "A repeated request changes nothing",
      "An attempt repeated with the same lease id has the same answer; it neither extends nor grants anew.",
      "A reply that the network lost is asked for again. It does not leave a lock behind that nobody knows of."),
  /** Fencing. */
  R04(
      "Fencing tokens only rise",
      "Each grant of a name has a higher token than all before: over release, expiry, and a restart of process or"
          + " store. A reader's token is above those of earlier writers and below those of later ones.",
      "Let the data refuse a token lower than the highest it has seen, and a holder that slept through its lease can"
          + " do no harm."),
  /** Ttl. */
  R05(
      "A ttl means what it says",
      "It is rounded up to the store's step, never to zero and never to forever. Outside the store's limits it is"
          + " refused.",
      "A ttl of 1.5 s is not silently 1 s, and a wrong unit is an error where it is written."),
  /** Renewal. */
  R06(
      "Renewal never revives",
      "Renewing what is not yours, or has expired, changes nothing and says so. A lease that an operator broke is"
          + " noticed within one renewal period.",
      "Once another may hold the lock, nothing brings yours back."),
  /** Release by the holder. */
  R07(
      "Only the holder releases",
      "Releasing what is not yours changes nothing and says so.",
      "A holder that comes too late cannot delete the lock of the next one."),
  /** Release. */
  R08(
      "Release is by lease, and idempotent",
      "It frees exactly one lease, whatever else the same process or session holds; a second call does nothing.",
      "`close()` in a `finally` is always safe."),
  /** Giving up. */
  R09(
      "A waiter that gives up leaves no trace",
      "After a timeout, an interrupt or a cancel its caller never has the lock later. It is in the way of others for no longer than the one round trip that withdraws it, in which a store may still grant to it.",
      "No lock is held by a request that ended minutes ago."),
  /** Death. */
  R10(
      "A dead holder's lock comes free",
      "By itself, within its ttl and what the store declares beside it.",
      "`kill -9`, a power cut and a lost network need no operator."),
  /** Wake-ups. */
  R11(
      "A lost wake-up costs a second at most",
      "Wake-ups are hints; a bounded poll stands behind them.",
      "No waiter hangs because one message was lost."),
  /** Unknown outcomes. */
  R12(
      "Silence is not an answer",
      "A reply that never came is an unknown outcome, and is reported as that: never as busy or as released. If the"
          + " first attempt cannot reach the store it fails fast; a waiter once answered keeps trying to its deadline.",
      "`StoreException` and `LockTimeoutException` tell a broken store from a busy lock."),
  /** Names. */
  R13(
      "Any name is a name",
      "Up to 255 code points, hostile ones too, without collision, normalisation or injection. What is refused is"
          + " refused with a clear error.",
      "Names may come from data: order numbers, paths, titles."),
  /** Close. */
  R14(
      "Close ends everything",
      "It releases what is held and tells its holders that they lost it, ends every wait, thread and connection, in bounded time, and does not throw.",
      "An application stops when it is told to, and the next one need not wait for a ttl. Work that still runs under a lock learns that it has it no longer; `closeWaitsForHolders()` lets it finish first."),
  /** Traits. */
  R15(
      "What a store cannot do is refused",
      "A trait that is missing and needed is refused when the client is built, with what to write to accept it.",
      "No promise gets weaker because the URL changed."),
  /** Deadlines. */
  R16(
      "A deadline is a deadline",
      "`tryAcquire(t)` returns by t, also from a silent store. One budget covers queue, network and retries.",
      "A request handler with 300 ms left can spend 200 of them on a lock."),
  /** Validity. */
  R17(
      "A lease is never believed for too long",
      "Validity counts from the sending of the request that the store answered, by the remaining life in the answer,"
          + " less what two clocks may differ by. Past it `isHeld()` is false at the moment it is read.",
      "A process that wakes from a pause learns of it before it does anything."),
  /** Interrupts. */
  R18(
      "Interrupts are honoured",
      "At once while waiting, at the end of the request at the latest, never swallowed and never wrapped.",
      "Thread pools shut down, and virtual threads can be cancelled."),
  /** Free calls. */
  R19(
      "Re-entry and looking are free",
      "Re-entry, `isHeld` and `remaining` never touch the network.",
      "Look as often as you like."),
  /** Order. */
  R20(
      "First come, first served",
      "Inside a process always, and no try overtakes a waiter. Across processes for `fair` callers; a store without"
          + " a queue refuses them. Readers that come after a waiting writer are served after it.",
      "In one process nobody is overtaken, and fair callers nowhere."),
  /** The longest life. */
  R21(
      "A lease can have a longest life",
      "At the end of `maxHold` it is lost and then released, although its holder hangs. Without renewal it lives for"
          + " one ttl.",
      "A job that hangs does not hold the lock until somebody looks.");

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
