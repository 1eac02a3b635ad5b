package io.leasehold.cli;

import io.leasehold.LockClient;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.support.SystemClock;
import java.time.Instant;
import java.util.List;

/** {@code who} and {@code list}: what is held and waited for, now. */
final class HeldCommand {
  private final Arguments arguments;
  private final StoreChoice store;
  private final Console console;

  HeldCommand(Arguments arguments, StoreChoice store, Console console) {
    this.arguments = arguments;
    this.store = store;
    this.console = console;
  }

  /** One name. */
  int who() {
    String name = arguments.lockName();
    LockSnapshot lock;
    try (LockClient locks = store.open(event -> {})) {
      lock = locks.lock(name).inspect().orElse(new LockSnapshot(name, List.of(), List.of()));
    }
    boolean free = lock.holders().isEmpty() && lock.waiters().isEmpty();
    if (arguments.has(Option.JSON)) {
      Json json = new Json();
      new HeldJson(now(), json).add(lock);
      console.print(json + "\n");
    } else if (free) {
      console.say("'" + name + "' is free");
    } else {
      console.print(new HeldTable(now()).add(lock).toString());
    }
    return free ? ExitCode.FREE : ExitCode.OK;
  }

  /** Every name that matches. */
  int list() {
    if (arguments.operands().size() > 1) {
      throw new UsageException(
          "list takes one pattern at most: quote it, so that the shell leaves it alone");
    }
    Glob glob =
        new Glob(
            arguments.operands().isEmpty()
                ? "*"
                : Words.requireText(arguments.operands().get(0), "the pattern"));
    List<LockSnapshot> held;
    try (LockClient locks = store.open(event -> {})) {
      held = locks.list().stream().filter(lock -> glob.matches(lock.name())).toList();
    }
    if (arguments.has(Option.JSON)) {
      Json json = new Json().beginArray();
      HeldJson each = new HeldJson(now(), json);
      held.forEach(each::add);
      console.print(json.endArray() + "\n");
    } else if (!held.isEmpty()) {
      HeldTable table = new HeldTable(now());
      held.forEach(table::add);
      console.print(table.toString());
    }
    return ExitCode.OK;
  }

  private static Instant now() {
    return Instant.ofEpochMilli(new SystemClock().wallMillis());
  }
}
